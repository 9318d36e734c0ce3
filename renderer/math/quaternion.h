#pragma once

// Rotations from quaternions w, x, y, z of any non-zero length.

#include "math/vector.h"

namespace mote {

template <class F>
struct Quaternion {
  F w, x, y, z;
};

template <class F>
MOTE_LANE F squared_norm(Quaternion<F> q) {
  return fma(q.w, q.w, fma(q.x, q.x, fma(q.y, q.y, q.z * q.z)));
}

/// The rotation matrix of q / |q|.
template <class F>
MOTE_LANE Mat3<F> rotation_from(Quaternion<F> q) {
  // 2/|q|^2 replaces the normalisation.
  const F s = F(2.0f) / squared_norm(q), one(1.0f);
  const F xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const F xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const F wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{one - s * (yy + zz), s * (xy - wz), s * (xz + wy)},
          {s * (xy + wz), one - s * (xx + zz), s * (yz - wx)},
          {s * (xz - wy), s * (yz + wx), one - s * (xx + yy)}};
}

/// dL/dq of rotation_from(q), given dL/dR.
template <class F>
MOTE_LANE Quaternion<F> rotation_from_vjp(Quaternion<F> q, const Mat3<F>& d) {
  const F norm2 = squared_norm(q);
  const F s = F(2.0f) / norm2, two(2.0f);
  const F sum_xy = d.row0.y + d.row1.x, sum_xz = d.row0.z + d.row2.x, sum_yz = d.row1.z + d.row2.y;
  const F dif_z = d.row1.x - d.row0.y, dif_y = d.row0.z - d.row2.x, dif_x = d.row2.y - d.row1.z;
  const F diag_x = d.row1.y + d.row2.z, diag_y = d.row0.x + d.row2.z, diag_z = d.row0.x + d.row1.y;
  // This is the gradient for constant s. R does not change along q, so its component along q is
  // removed.
  const Quaternion<F> g{s * (q.x * dif_x + q.y * dif_y + q.z * dif_z),
                        s * (q.y * sum_xy + q.z * sum_xz + q.w * dif_x - two * q.x * diag_x),
                        s * (q.x * sum_xy + q.z * sum_yz + q.w * dif_y - two * q.y * diag_y),
                        s * (q.x * sum_xz + q.y * sum_yz + q.w * dif_z - two * q.z * diag_z)};
  const F along = (g.w * q.w + g.x * q.x + g.y * q.y + g.z * q.z) / norm2;
  return {g.w - along * q.w, g.x - along * q.x, g.y - along * q.y, g.z - along * q.z};
}

}  // namespace mote
