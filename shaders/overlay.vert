#version 460

// Lines with round ends: each is a rectangle around the line and the pixels that its edge crosses.

layout(push_constant) uniform Push {
  vec2 clip_per_px;  // 2 / viewport
} push;

layout(location = 0) in vec2 in_from;  // px from the viewport's upper left corner
layout(location = 1) in vec2 in_to;
layout(location = 2) in float in_width_px;
layout(location = 3) in vec4 in_color;

layout(location = 0) out vec2 out_offset;  // px from in_from: along the line, across it
layout(location = 1) flat out float out_length;
layout(location = 2) flat out float out_radius;
layout(location = 3) flat out vec4 out_color;

void main() {
  const float length_px = distance(in_from, in_to);
  const vec2 along = length_px > 1e-6 ? (in_to - in_from) / length_px : vec2(1.0, 0.0);
  const vec2 across = vec2(-along.y, along.x);
  const float reach = 0.5 * in_width_px + 1.0;
  const bool is_end = (gl_VertexIndex & 1) != 0, is_right = (gl_VertexIndex & 2) != 0;
  out_offset = vec2(is_end ? length_px + reach : -reach, is_right ? reach : -reach);
  out_length = length_px;
  out_radius = 0.5 * in_width_px;
  out_color = in_color;
  const vec2 place = in_from + along * out_offset.x + across * out_offset.y;
  gl_Position = vec4(place * push.clip_per_px - 1.0, 0.0, 1.0);
}
