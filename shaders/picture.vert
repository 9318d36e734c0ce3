#version 460

// One picture: a rectangle, as a triangle strip without vertex buffers.

layout(push_constant) uniform Push {
  vec4 clip_rectangle;  // x0, y0, x1, y1 in clip space
} push;

layout(location = 0) out vec2 out_uv;

void main() {
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
  out_uv = corner;
  gl_Position = vec4(mix(push.clip_rectangle.xy, push.clip_rectangle.zw, corner), 0.0, 1.0);
}
