#version 460

// The display pass from the renderer's image to the screen. One pass: upscale, backdrop,
// comparison, exposure, tone curve, sRGB. renderer/present/display_options.h documents the options
// and their numbers.

const int kNearest = 0, kSmooth = 1;
const int kToneNone = 0, kToneFilmic = 1;
const int kBackdropAsRendered = 0, kBackdropColor = 1;
const int kCompareNone = 0, kCompareSplit = 1;
const int kMetricAbsolute = 0, kMetricSquared = 1, kMetricRelative = 2;
const float kRelativeErrorFloor = 0.01;

// Specialisation constants, so that disabled options cost nothing per pixel.
layout(constant_id = 0) const int kFirstUpscale = 0;
layout(constant_id = 1) const int kSecondUpscale = 0;
layout(constant_id = 2) const bool kGraded = false;
layout(constant_id = 3) const bool kIsLinear = false;
layout(constant_id = 4) const int kTone = 0;
layout(constant_id = 5) const int kBackdrop = 0;
layout(constant_id = 6) const int kCompare = 0;

layout(set = 0, binding = 0) uniform sampler2D first_image;
layout(set = 0, binding = 1) uniform sampler2D second_image;

layout(push_constant) uniform Push {
  vec2 view_origin;         // framebuffer px
  float split_px;           // from the view's left side
  float difference_gain;
  vec2 first_texels_per_px;
  vec2 second_texels_per_px;
  float exposure;           // factor on linear light
  float checker_px;
  int metric;
  vec4 rendered_background;
  vec4 backdrop_color;
} push;

layout(location = 0) out vec4 out_color;

vec3 decode_srgb(vec3 v) {
  return mix(pow((max(v, 0.0) + 0.055) / 1.055, vec3(2.4)), v / 12.92, lessThanEqual(v, vec3(0.04045)));
}

vec3 encode_srgb(vec3 v) {
  return mix(1.055 * pow(max(v, 0.0), vec3(1.0 / 2.4)) - 0.055, 12.92 * v,
             lessThanEqual(v, vec3(0.0031308)));
}

vec3 filmic(vec3 v) {
  return v * (2.51 * v + 0.03) / (v * (2.43 * v + 0.59) + 0.14);
}

vec3 neutral(vec3 v) {
  const float kStart = 0.8 - 0.04, kRoom = 1.0 - kStart, kDesaturation = 0.15;
  const float least = min(v.r, min(v.g, v.b));
  v -= least < 0.08 ? least - 6.25 * least * least : 0.04;
  const float peak = max(v.r, max(v.g, v.b));
  if (peak < kStart) return v;
  const float new_peak = 1.0 - kRoom * kRoom / (peak + kRoom - kStart);
  const float keep = 1.0 / (kDesaturation * (peak - new_peak) + 1.0);
  return mix(vec3(new_peak), v * (new_peak / peak), keep);
}

vec3 grade(vec3 v) {
  if (!kGraded) return v;
  vec3 light = (kIsLinear ? v : decode_srgb(v)) * push.exposure;
  if (kTone != kToneNone) {
    light = max(light, 0.0);
    light = kTone == kToneFilmic ? filmic(light) : neutral(light);
  }
  return encode_srgb(light);
}

vec4 weights(float t) {  // Catmull-Rom
  const float t2 = t * t, t3 = t2 * t;
  return vec4(-0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1.0, -1.5 * t3 + 2.0 * t2 + 0.5 * t,
              0.5 * t3 - 0.5 * t2);
}

// `place`: position in texels, centres at +0.5.
vec4 sharp(sampler2D image, vec2 place) {
  const ivec2 last = textureSize(image, 0) - 1;
  const vec2 from_center = place - 0.5;
  const ivec2 base = ivec2(floor(from_center));
  const vec2 t = from_center - floor(from_center);
  const vec4 across = weights(t.x), down = weights(t.y);
  vec4 sum = vec4(0.0), low = vec4(3.4e38), high = vec4(-3.4e38);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) {
      const vec4 texel = texelFetch(image, clamp(base + ivec2(i - 1, j - 1), ivec2(0), last), 0);
      sum += across[i] * down[j] * texel;
      if ((i == 1 || i == 2) && (j == 1 || j == 2)) {
        low = min(low, texel);
        high = max(high, texel);
      }
    }
  }
  return clamp(sum, low, high);
}

vec4 smooth_texel(sampler2D image, vec2 place) {
  const ivec2 last = textureSize(image, 0) - 1;
  const vec2 from_center = place - 0.5;
  const vec2 t = from_center - floor(from_center);
  const ivec2 low = clamp(ivec2(floor(from_center)), ivec2(0), last);
  const ivec2 high = clamp(ivec2(floor(from_center)) + 1, ivec2(0), last);
  return mix(mix(texelFetch(image, low, 0), texelFetch(image, ivec2(high.x, low.y), 0), t.x),
             mix(texelFetch(image, ivec2(low.x, high.y), 0), texelFetch(image, high, 0), t.x), t.y);
}

vec4 sampled(sampler2D image, int upscale, vec2 place) {
  if (upscale == kNearest) {
    return texelFetch(image, min(ivec2(place), textureSize(image, 0) - 1), 0);
  }
  return upscale == kSmooth ? smooth_texel(image, place) : sharp(image, place);
}

vec3 backdrop(vec2 pixel) {
  if (kBackdrop == kBackdropAsRendered) return push.rendered_background.rgb;
  if (kBackdrop == kBackdropColor) return push.backdrop_color.rgb;
  const ivec2 square = ivec2(pixel / push.checker_px);
  return vec3((square.x + square.y & 1) == 0 ? 0.4 : 0.6);
}

// Display values before grading.
vec3 shown(vec4 texel, vec2 pixel) {
  if (kBackdrop == kBackdropAsRendered) return texel.rgb;
  return texel.rgb + (1.0 - texel.a) * (backdrop(pixel) - push.rendered_background.rgb);
}

vec3 error_of(vec3 first, vec3 second) {
  const vec3 error = first - second;
  const float gain = push.difference_gain;
  if (push.metric == kMetricAbsolute) return gain * abs(error);
  if (push.metric == kMetricSquared) return gain * error * error;
  if (push.metric == kMetricRelative) return gain * abs(error) / (second + kRelativeErrorFloor);
  return 0.5 + 0.5 * gain * error;
}

void main() {
  const vec2 pixel = gl_FragCoord.xy - push.view_origin;
  const vec4 first = sampled(first_image, kFirstUpscale, pixel * push.first_texels_per_px);
  vec3 color;
  if (kCompare == kCompareNone) {
    color = grade(shown(first, pixel));
  } else {
    const vec4 second = sampled(second_image, kSecondUpscale, pixel * push.second_texels_per_px);
    if (kCompare == kCompareSplit) {
      color = grade(pixel.x < push.split_px ? shown(first, pixel) : shown(second, pixel));
    } else {
      color = error_of(shown(first, pixel), shown(second, pixel));
    }
  }
  out_color = vec4(color, 1.0);
}
