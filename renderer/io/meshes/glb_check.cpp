// The description in a .glb: glTF 2.0, 4.4 (binary files), 3.5.2 (nodes form trees) and 3.6.2
// (accessors).
#include "io/meshes/glb_check.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace mote {
namespace {

using nlohmann::json;

struct GlbHead {
  std::array<char, 4> magic;
  std::uint32_t version, bytes;
};
struct ChunkHead {
  std::uint32_t bytes;
  std::array<char, 4> type;
};

template <std::size_t SIZE>
std::string_view text_of(const std::array<char, SIZE>& letters) {
  return {letters.data(), SIZE};
}

[[noreturn]] void refuse(const InputFile& file, const std::string& place,
                         const std::string& problem, const std::string& remedy) {
  throw Error(problem, file.name() + ", " + place, remedy);
}

template <class Head>
Head head_at(const InputFile& file, std::uint64_t at) {
  Head head{};
  file.read_exact(at, std::as_writable_bytes(std::span(&head, 1)));
  return head;
}

/// The chunk that begins at `at`, all of which is in the file.
ChunkHead chunk_at(const InputFile& file, std::uint64_t at) {
  const auto head = head_at<ChunkHead>(file, at);
  const std::uint64_t left = file.size() - at - sizeof head;
  if (head.bytes <= left) return head;
  refuse(file, "byte " + std::to_string(at),
         "damaged mesh: a part of " + std::to_string(head.bytes) + " bytes has " +
             std::to_string(left) + " in the file",
         "copy the file or export it again");
}

/// The description; empty where it is no JSON.
std::optional<json> description_of(const InputFile& file) {
  const auto head = head_at<GlbHead>(file, 0);
  if (text_of(head.magic) != "glTF" || head.version != 2) {
    refuse(file, "byte 0", "is no .glb of version 2", "export it as glTF 2.0, binary");
  }
  const auto first = chunk_at(file, sizeof head);
  if (first.bytes > kMostGlbDescriptionBytes) {
    refuse(file, "description",
           "has " + std::to_string(first.bytes) + " bytes, at most " +
               std::to_string(kMostGlbDescriptionBytes) + " can be read",
           "export it with fewer parts");
  }
  std::string text(first.bytes, '\0');
  const std::uint64_t begin = sizeof head + sizeof first, end = begin + first.bytes;
  file.read_exact(begin, std::as_writable_bytes(std::span(text)));
  if (end + sizeof(ChunkHead) <= file.size()) chunk_at(file, end);  // the data
  json all = json::parse(text, nullptr, false);
  if (!all.is_object()) return {};
  return all;
}

/// The elements of a list of the description.
const json& list_of(const json& description, const char* key) {
  static const json kNone = json::array();
  const auto found = description.find(key);
  return found != description.end() && found->is_array() ? *found : kNone;
}

/// The nodes below each node. Throws Error for a node below several.
std::vector<std::vector<std::size_t>> children_of(const InputFile& file, const json& nodes,
                                                  std::vector<bool>& has_parent) {
  std::vector<std::vector<std::size_t>> children(nodes.size());
  has_parent.assign(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_object()) continue;
    for (const json& child : list_of(nodes[i], "children")) {
      if (!child.is_number_unsigned() || child.get<std::uint64_t>() >= nodes.size()) continue;
      const auto number = child.get<std::size_t>();
      if (has_parent[number]) {
        refuse(file, "node " + std::to_string(number), "damaged mesh: it has several parents",
               "export it again");
      }
      has_parent[number] = true;
      children[i].push_back(number);
    }
  }
  return children;
}

void check_nodes(const InputFile& file, const json& nodes) {
  std::vector<bool> has_parent;
  const auto children = children_of(file, nodes, has_parent);
  std::vector<std::size_t> level;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!has_parent[i]) level.push_back(i);
  }
  for (int depth = 0; !level.empty(); ++depth) {
    if (depth > kDeepestGlbNode) {
      refuse(file, "node " + std::to_string(level.front()),
             "is nested in more than " + std::to_string(kDeepestGlbNode) + " others",
             "export it as one mesh");
    }
    std::vector<std::size_t> next;
    for (const std::size_t node : level) {
      next.insert(next.end(), children[node].begin(), children[node].end());
    }
    level = std::move(next);
  }
}

void check_accessors(const InputFile& file, const json& accessors) {
  for (std::size_t i = 0; i < accessors.size(); ++i) {
    if (!accessors[i].is_object()) continue;
    const auto count = accessors[i].find("count");
    if (count == accessors[i].end() || !count->is_number()) continue;
    // Each value has at least a byte.
    if (count->get<double>() <= static_cast<double>(file.size())) continue;
    refuse(file, "accessor " + std::to_string(i),
           "damaged mesh: has " + count->dump() + " values, but the file has " +
               std::to_string(file.size()) + " bytes",
           "copy the file or export it again");
  }
}

}  // namespace

void check_glb(const InputFile& file) {
  const std::optional<json> description = description_of(file);
  if (!description) return;
  check_nodes(file, list_of(*description, "nodes"));
  check_accessors(file, list_of(*description, "accessors"));
}

}  // namespace mote
