// MessagePack, against the writer of nlohmann's library; and broken or hostile content.
#include "io/message_pack.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/files/format_samples.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using nlohmann::json;

MessagePack unpacked(const std::string& content) {
  const samples::TemporaryFile file(content, ".msgpack");
  const InputFile input(file.path());
  return read_message_pack(*open_stored(input, 0, input.size()), "test.msgpack");
}

std::string packed_text(const json& value) {
  std::string text;
  json::to_msgpack(value, text);
  return text;
}

void expect_refusal(const std::string& content, const std::string& phrase) {
  const Error error = thrown_by([&] { unpacked(content); });
  EXPECT_NE(error.problem().find(phrase), std::string::npos) << error.what();
}

TEST(MessagePack, ReadsEachWidthOfNumbers) {
  json all = json::array({nullptr, true, false, 0.5, 0.1, -1e300});
  for (int bits = 0; bits < 64; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t value : {power - 1, power, power + 1}) {
      all.push_back(value);
      all.push_back(-static_cast<std::int64_t>(value >> 1) - 1);
    }
  }
  const MessagePack pack = unpacked(packed_text(all));
  EXPECT_EQ(pack.top, all);
  EXPECT_EQ(pack.size, packed_text(all).size());
}

TEST(MessagePack, ReadsEachWidthOfSizes) {
  json all = json::object();
  for (const std::size_t size : {0u, 1u, 15u, 16u, 31u, 32u, 255u, 256u, 65535u, 65536u}) {
    const std::string name = std::to_string(size);
    all["text " + name] = std::string(size, 'x');
    all["list " + name] = std::vector<int>(size, 7);
    json& own = all["map " + name] = json::object();
    for (std::size_t i = 0; i < size; ++i) own[std::to_string(i)] = i;
  }
  all["nested"] = {{"a", {1, {{"b", {}}}}}};
  all[std::string(255, 'k')] = 1;
  EXPECT_EQ(unpacked(packed_text(all)).top, all);
}

TEST(MessagePack, BinaryValuesStayInTheFileAtTheirPlaces) {
  json all = {{"a", json::binary({1, 2, 3})}, {"b", {{"c", {0, json::binary({})}}}}};
  all["b"]["d"] = json::binary(std::vector<std::uint8_t>(70000, 5));
  const std::string content = packed_text(all);
  const MessagePack pack = unpacked(content);
  ASSERT_EQ(pack.binaries.size(), 3u);
  const PackedBinary a = pack.binaries.at("a"), d = pack.binaries.at("b/d");
  EXPECT_EQ(content.substr(a.offset, a.size), std::string("\1\2\3"));
  EXPECT_EQ(content.substr(d.offset, d.size), std::string(70000, 5));
  EXPECT_EQ(pack.binaries.at("b/c/1").size, 0u);
  EXPECT_TRUE(pack.top["b"]["d"].is_binary());
}

TEST(MessagePack, EachTruncationIsAnError) {
  const std::string content = packed_text(
      {{"text", std::string(300, 'x')}, {"numbers", {1, 300, 70000, -70000, 0.1}}, {"n", nullptr}});
  for (std::size_t size = 0; size < content.size(); ++size) {
    expect_refusal(content.substr(0, size), "truncated");
  }
}

TEST(MessagePack, HostileSizesCostNothing) {
  const std::string count = "\xff\xff\xff\xff";
  expect_refusal("\xdb" + count + "abc", "text");
  for (const char* type : {"\xc6", "\xdd", "\xdf"}) expect_refusal(type + count, "truncated");
  expect_refusal(std::string(1 << 20, '\x91'), "nested more than 64 deep");
  expect_refusal("\xdd" + count + std::string((1 << 22) + 1, '\1'), "more than 4194304 values");
  std::string binaries = "\xdd" + count;
  for (int i = 0; i < 1025; ++i) binaries += std::string("\xc4\0", 2);
  expect_refusal(binaries, "more than 1024 binary values");
}

TEST(MessagePack, RefusesOtherValues) {
  expect_refusal("\xc1", "is not MessagePack");
  expect_refusal("\xd4\1\1", "extension");
  expect_refusal("\x81\1\1", "expected a key");
  const Error error = thrown_by([] { unpacked(std::string("\x92\1\xc1", 3)); });
  EXPECT_NE(error.where().find("test.msgpack, byte 3"), std::string::npos) << error.where();
}

TEST(MessagePack, RandomBytesAreAValueOrAnError) {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string content;
    for (int k = 0; k < 64; ++k) content += static_cast<char>(random());
    try {
      EXPECT_LE(unpacked(content).size, content.size());
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

}  // namespace
}  // namespace mote
