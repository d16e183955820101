/* chart.c - see chart.h. */
#include "chart.h"

#include <math.h>

/* U+2588 FULL BLOCK down to U+258F LEFT ONE EIGHTH BLOCK, shortest first. */
static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};

static const char *const sparks[][8] = {
    [MPG_CHART_UNICODE] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
    [MPG_CHART_ASCII] = {"_", ".", ":", "-", "=", "+", "*", "#"},
};

static size_t append_cell(char *out, size_t n, const char *cell) {
  while (*cell != '\0')
    out[n++] = *cell++;
  return n;
}

size_t mpg_bar(double value, double max, int width, mpg_chart_style style, char out[MPG_BAR_TEXT]) {
  bool ascii = style == MPG_CHART_ASCII, beyond;
  const char *full = value < 0 ? (ascii ? "-" : "░") : ascii ? "#" : "█";
  double length = fabs(value) / max * width;
  int cells = 0, rest = 0;
  size_t n = 0;
  beyond = !(length <= width);
  if (beyond) {
    cells = width - 1;
  } else if (ascii || value < 0) {
    cells = (int)floor(length + 0.5);
  } else {
    int parts = (int)floor(length * 8 + 0.5);
    cells = parts / 8;
    rest = parts % 8;
  }
  for (int i = 0; i < cells; i++)
    n = append_cell(out, n, full);
  n = append_cell(out, n, beyond ? (ascii ? ">" : "▶") : eighths[rest]);
  out[n] = '\0';
  return n;
}

const char *mpg_spark_cell(double value, double low, double high, mpg_chart_style style) {
  double place;
  int level;
  if (low == high && value == low)
    return sparks[style][3];
  /* Halves, since a range may be wider than the largest double. */
  place = (value / 2 - low / 2) / (high / 2 - low / 2) * 8;
  level = !(place > 0) ? 0 : place >= 8 ? 7 : (int)place;
  return sparks[style][level];
}
