#version 460

// Antialiased lines: alpha is the line's coverage of the pixel.

layout(location = 0) in vec2 in_offset;
layout(location = 1) flat in float in_length;
layout(location = 2) flat in float in_radius;
layout(location = 3) flat in vec4 in_color;

layout(location = 0) out vec4 out_color;

void main() {
  const vec2 nearest = vec2(clamp(in_offset.x, 0.0, in_length), 0.0);
  const float coverage = clamp(in_radius + 0.5 - distance(in_offset, nearest), 0.0, 1.0);
  out_color = vec4(in_color.rgb, in_color.a * coverage);
}
