#version 460

// The picture: display values. A reduced picture is averaged, since there are no smaller copies.

layout(set = 0, binding = 0) uniform sampler2D image;

layout(location = 0) in vec2 in_uv;
layout(location = 1) flat in float in_opacity;
layout(location = 0) out vec4 out_color;

const int kMostSamples = 4;  // along each side of a pixel

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
  out_color.a *= in_opacity;
}
