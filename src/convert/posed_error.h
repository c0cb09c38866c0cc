// How far a fitted model is from what it was made of.
#ifndef SNI_POSED_ERROR_H
#define SNI_POSED_ERROR_H

#include "io/save.h"

// The largest distance between where two models with the same parts, vertices and clips have a vertex, at 41 times of
// each clip (11 of large models), or at rest where there is none; and the size of the first. False after a failure.
bool sni_find_posed_error(sni_save *save, const sn_model *before, const sn_model *after, double *distance,
                          double *size);

// "; vertices are off by up to 0.0744, or 6.43 % of the model's size"; empty where that would be 0.
const char *sni_print_posed_error(char out[96], double distance, double size);

// Reports save->changed_tracks of this model, RESAMPLED: how far they move vertices, and by how much values differ that
// move none.
bool sni_report_changed_tracks(sni_save *save, const sn_model *model);

#endif
