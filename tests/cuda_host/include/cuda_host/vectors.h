#pragma once

// CUDA's function qualifiers and its small vector types.

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};

struct alignas(8) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

constexpr float2 make_float2(float x, float y) {
  return {x, y};
}
constexpr float3 make_float3(float x, float y, float z) {
  return {x, y, z};
}
constexpr float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
constexpr int2 make_int2(int x, int y) {
  return {x, y};
}
constexpr int4 make_int4(int x, int y, int z, int w) {
  return {x, y, z, w};
}
constexpr uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
