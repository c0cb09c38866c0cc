// Matrices of files to translation, rotation and scale.
#ifndef SNI_TRS_H
#define SNI_TRS_H

#include "sinew/sinew.h"

// The parts of a matrix. True when they say all of it (to 1e-5 of its size): no shear, nothing flat. Otherwise they
// are the nearest guess and the matrix itself must be kept.
bool sni_trs_from_mat34(const sn_mat34 *matrix, sn_trs *trs);

// From 16 floats, column after column, as glTF and Level-5 store them. The last row is taken as 0,0,0,1.
sn_mat34 sni_mat34_from_columns(const float columns[16]);

#endif
