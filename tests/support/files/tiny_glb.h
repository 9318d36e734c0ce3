#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace mote {

/// Nodes of a scene whose first node is its root.
inline constexpr const char* kMovedNode = R"({"mesh":0,"translation":[10,0,0]})";

/// A .glb with one triangle, of the first of `positions` positions, and these nodes. The corners
/// are (0, 0, 0), (1, 0, 0) and (0, 1, 0).
inline std::string tiny_glb(const std::string& nodes = kMovedNode, std::size_t positions = 3) {
  std::vector<float> values(3 * positions, 0.0f);
  values[3] = values[7] = 1;
  const std::size_t bytes = sizeof(float) * values.size();
  std::string data(bytes + 8, '\0');
  const std::uint16_t indices[] = {0, 1, 2};
  std::memcpy(data.data(), values.data(), bytes);
  std::memcpy(data.data() + bytes, indices, sizeof indices);
  std::string json = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],)"
                     R"("nodes":[)" +
                     nodes +
                     R"(],)"
                     R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],)"
                     R"("buffers":[{"byteLength":)" +
                     std::to_string(data.size()) +
                     R"(}],)"
                     R"("bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":)" +
                     std::to_string(bytes) + R"(},{"buffer":0,"byteOffset":)" +
                     std::to_string(bytes) +
                     R"(,"byteLength":6}],)"
                     R"("accessors":[{"bufferView":0,"componentType":5126,"count":)" +
                     std::to_string(positions) +
                     R"(,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},)"
                     R"({"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}]})";
  while (json.size() % 4 != 0) json += ' ';
  const auto word = [](std::size_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    return std::string(reinterpret_cast<const char*>(&bits), sizeof bits);
  };
  const std::size_t whole = 12 + 8 + json.size() + 8 + data.size();
  return "glTF" + word(2) + word(whole) + word(json.size()) + "JSON" + json + word(data.size()) +
         std::string("BIN\0", 4) + data;
}

}  // namespace mote
