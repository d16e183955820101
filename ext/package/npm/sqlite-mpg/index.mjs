import mpg from "./index.cjs";

export const { getLoadablePath, load } = mpg;
