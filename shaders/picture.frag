#version 460

// The unchanged picture: display values.

layout(set = 0, binding = 0) uniform sampler2D image;

layout(location = 0) in vec2 in_uv;
layout(location = 0) out vec4 out_color;

void main() {
  out_color = texture(image, in_uv);
}
