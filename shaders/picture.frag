#version 460

// The picture: display values. A reduced picture is averaged, since there are no smaller copies.

layout(set = 0, binding = 0) uniform sampler2D image;

layout(push_constant) uniform Push {
  vec4 corners[4];
  uvec4 cells[2];  // one bit for each of the cells that are drawn, row by row
  float opacity;
} push;

layout(location = 0) in vec2 in_uv;
layout(location = 1) flat in float in_opacity;
layout(location = 0) out vec4 out_color;

const int kMostSamples = 4;  // along each side of a pixel
const int kCells = 16;       // along each side of the picture

float drawn(ivec2 cell) {
  const ivec2 inside = clamp(cell, 0, kCells - 1);
  const int bit = inside.y * kCells + inside.x;
  return float((push.cells[bit >> 7][(bit >> 5) & 3] >> (bit & 31)) & 1u);
}

// Between the middles of the cells.
float drawn_at(vec2 uv) {
  const vec2 place = uv * float(kCells) - 0.5;
  const ivec2 cell = ivec2(floor(place));
  const vec2 part = fract(place);
  const float upper = mix(drawn(cell), drawn(cell + ivec2(1, 0)), part.x);
  const float lower = mix(drawn(cell + ivec2(0, 1)), drawn(cell + ivec2(1, 1)), part.x);
  return smoothstep(0.25, 0.75, mix(upper, lower, part.y));
}

void main() {
  const vec2 size = vec2(textureSize(image, 0));
  const vec2 right = dFdx(in_uv), down = dFdy(in_uv);
  const float texels = max(length(right * size), length(down * size));
  const int samples = clamp(int(ceil(0.5 * texels)), 1, kMostSamples);
  vec4 sum = vec4(0.0);
  for (int j = 0; j < samples; ++j) {
    for (int i = 0; i < samples; ++i) {
      const vec2 offset = (vec2(i, j) + 0.5) / float(samples) - 0.5;
      sum += textureLod(image, in_uv + offset.x * right + offset.y * down, 0.0);
    }
  }
  out_color = sum / float(samples * samples);
  out_color.a *= in_opacity * drawn_at(in_uv);
}
