/*
** hlo_attribute.h - what the values of HLO attributes say: lists of numbers, windows, labels of
** dimensions, groups of replicas, trip counts.
*/
#ifndef MPG_HLO_ATTRIBUTE_H
#define MPG_HLO_ATTRIBUTE_H

#include "hlo_shape.h"

/* The next whole number in *rest, after any other text; *rest then begins after it. */
bool mpg_hlo_next_number(mpg_str *rest, int64_t *out);
/* The part of `value` after the first `key`, or empty. */
mpg_str mpg_hlo_after(mpg_str value, mpg_str key);
/* `value` without the quotes around it. */
mpg_str mpg_hlo_unquoted(mpg_str value);
/* The value of key="..." within metadata={...}; escapes stay. */
mpg_str mpg_hlo_quoted_member(mpg_str value, mpg_str key);
/* What a text means whose bytes are escaped as C has it. `to` has room for raw.n bytes. */
size_t mpg_hlo_unescape(char *to, mpg_str raw);

/* "{size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}" */
#define MPG_HLO_WINDOW_DIMS 16
typedef struct mpg_hlo_window_dim {
  int64_t size, stride, pad_low, pad_high, base_dilation, window_dilation;
} mpg_hlo_window_dim;
/* How many dimensions; -1 for a window that makes no sense, or has more of them. */
int mpg_hlo_window(mpg_str value, mpg_hlo_window_dim dims[MPG_HLO_WINDOW_DIMS]);

/* "b01f_01io->b01f": the position of a label among those of the input (0), kernel (1) or output
** (2); -1: none. */
int mpg_hlo_label(mpg_str labels, int part, char label);
/* Channels of a shape with such labels, "f"; cuDNN's int8 has 4 or 32 of them in one more
** dimension, "?". Below 0: it has none. */
int64_t mpg_hlo_channels(const mpg_hlo_shapes *s, uint32_t shape, mpg_str labels, int part);

/*
** replica_groups= in its three forms: {{0,1},{2,3}}, [groups,ranks]<=[...]T(...), and
** mesh['x'=4,'y'=2] {'x'}. *ranks is of the largest group, *devices how many there are in all (by
** the largest number); both 0 for an empty value: all that there are.
*/
void mpg_hlo_groups(mpg_str value, int64_t *ranks, int64_t *devices);

/*
** Shardy's meshes, as in the header's frontend_attributes: {xla.sdy.meshes={mesh =
** #sdy.mesh<["x"=2,"y"=4]>}}. mpg_hlo_mesh_size: the number of devices in the largest; 1 if there
** is none. mpg_hlo_manual_axes: the number of devices along the axes that `attributes` (of an
** instruction) call manual, xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"; 0 if unknown.
*/
int64_t mpg_hlo_mesh_size(mpg_str meshes);
int64_t mpg_hlo_manual_axes(mpg_str meshes, mpg_str attributes);
/* The number of devices of a sharding, {devices=[2,1,4]<=[8] last_tile_dim_replicate} or
** {mesh['x'=2,'y'=4], [{'x'}]}; 1 if it names none. */
int64_t mpg_hlo_tiles(mpg_str sharding);
/* Of such, how many there are along what is manual, {manual} or {devices=[2,1,4]<=[8]
** last_tile_dims={manual,replicated}}; 0: all there are. */
int64_t mpg_hlo_manual_tiles(mpg_str sharding);

/* Into how many different parts one such sharding divides an array: 1 of {replicated}; 0: it does
** not say. */
int64_t mpg_hlo_tiled_parts(mpg_str sharding);
/* The next sharding in the list of a tuple, without the outer brace; *list then begins after it. */
mpg_str mpg_hlo_next_sharding(mpg_str *list);
/* The same of Shardy's next in frontend_attributes, xla.sdy.sharding="#sdy.sharding<@mesh,
** [{\"x\"}, {}]>"; *attributes then begins within it. */
int64_t mpg_hlo_shardy_parts(mpg_str meshes, mpg_str *attributes);

/* known_trip_count of a backend_config, as JSON or as JSON in a string; -1 if it says none. */
int64_t mpg_hlo_known_trips(mpg_str backend_config);

#endif
