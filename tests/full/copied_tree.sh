# For scripts that build everything in a way of their own, sourced in the top folder: from here on in a copy
# of the tree, which goes when they end.
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$top/mpg"
git ls-files -z --cached --others --exclude-standard | tar --null -cf - -T - | tar -xf - -C "$top/mpg"
[ ! -d ../shared ] || ln -s "$(realpath ../shared)" "$top/shared"
cd "$top/mpg"
