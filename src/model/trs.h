// Matrices of files to translation, rotation and scale.
#ifndef SNI_TRS_H
#define SNI_TRS_H

#include "sinew/sinew.h"

// The parts of a matrix. True when they say all of it (to 1e-5 of its size): no shear, nothing flat. Otherwise they
// are the nearest guess and the matrix itself must be kept.
bool sni_trs_from_mat34(const sn_mat34 *matrix, sn_trs *trs);

// Whether they say all of it, to the same measure; flat ones may.
bool sni_trs_says_mat34(const sn_trs *trs, const sn_mat34 *matrix);

// Any matrix as split_parent * inner, the inner one a rotation alone (by the singular values, which are the scale of
// split_parent).
// False where numbers grow too large for that; both are then unset.
bool sni_mat34_split(const sn_mat34 *matrix, sn_trs *split_parent, sn_quat *inner);

// From 16 floats, column after column, as glTF and Level-5 store them. The last row is taken as 0,0,0,1.
sn_mat34 sni_mat34_from_columns(const float columns[16]);

#endif
