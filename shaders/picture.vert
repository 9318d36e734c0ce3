#version 460

// One picture: a quadrilateral, as a triangle strip without vertex buffers.

layout(push_constant) uniform Push {
  vec4 corners[4];  // in clip space
  uvec4 cells[2];
  float opacity;
} push;

layout(location = 0) out vec2 out_uv;
layout(location = 1) flat out float out_opacity;

void main() {
  out_uv = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  out_opacity = push.opacity;
  gl_Position = push.corners[gl_VertexIndex];
}
