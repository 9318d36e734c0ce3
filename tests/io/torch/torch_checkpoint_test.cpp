// Checkpoints of PyTorch: tensors of every type and layout, and pickles and archives that are
// damaged or hostile.
#include "io/torch/torch_checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "core/error.h"
#include "support/files/format_samples.h"
#include "support/files/torch_samples.h"

namespace mote {
namespace {

using samples::TemporaryFile;

std::string archive_of(const PickleSample& pickle) {
  return checkpoint_sample(pickle, {{"0", floats_of({0, 1, 2, 3, 4, 5})}});
}

/// The numbers of the root, which is a tensor.
std::vector<float> root_numbers(const std::string& content, std::uint64_t row) {
  const TemporaryFile file(content, "");
  const InputFile input(file.path());
  const TorchCheckpoint checkpoint(input);
  return checkpoint.numbers(&checkpoint.pickle().root(), "root", 0, row);
}

/// The text of the Error of reading a checkpoint, and of its root as a tensor.
std::string refusal(const std::string& content) {
  const TemporaryFile file(content, "");
  try {
    const InputFile input(file.path());
    const TorchCheckpoint checkpoint(input);
    checkpoint.numbers(&checkpoint.pickle().root(), "root", 0, 3);
  } catch (const Error& error) {
    EXPECT_NE(error.where().find(file.path().string()), std::string::npos) << error.what();
    EXPECT_NE(error.remedy(), "");
    return error.problem();
  }
  return "";
}

void expect_refused(const std::string& content, const std::string& part) {
  EXPECT_NE(refusal(content).find(part), std::string::npos) << refusal(content);
}

TEST(TorchCheckpoints, TensorsAreReadByOffsetAndStride) {
  const auto read = [](std::int64_t offset, const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& stride, std::uint64_t row) {
    return root_numbers(
        archive_of(PickleSample().tensor("0", "FloatStorage", 6, offset, shape, stride)), row);
  };
  EXPECT_EQ(read(0, {2, 3}, {3, 1}, 3), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(read(0, {3, 2}, {1, 3}, 2), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(read(1, {2, 2}, {3, 1}, 2), (std::vector<float>{1, 2, 4, 5}));
  EXPECT_EQ(read(5, {1}, {1}, 1), (std::vector<float>{5}));
}

TEST(TorchCheckpoints, EveryTypeOfNumbersIsRead) {
  const auto read = [](const std::string& type, const std::string& content) {
    return root_numbers(
        checkpoint_sample(PickleSample().tensor("k", type, 2, 0, {2}, {1}), {{"k", content}}), 1);
  };
  const std::vector<float> expected{1, -2};
  EXPECT_EQ(read("HalfStorage", packed(std::uint16_t{0x3c00}, std::uint16_t{0xc000})), expected);
  EXPECT_EQ(read("BFloat16Storage", packed(std::uint16_t{0x3f80}, std::uint16_t{0xc000})),
            expected);
  EXPECT_EQ(read("FloatStorage", packed(1.0f, -2.0f)), expected);
  EXPECT_EQ(read("DoubleStorage", packed(1.0, -2.0)), expected);
  EXPECT_EQ(read("CharStorage", packed(std::int8_t{1}, std::int8_t{-2})), expected);
  EXPECT_EQ(read("ShortStorage", packed(std::int16_t{1}, std::int16_t{-2})), expected);
  EXPECT_EQ(read("IntStorage", packed(1, -2)), expected);
  EXPECT_EQ(read("LongStorage", packed(std::int64_t{1}, std::int64_t{-2})), expected);
  EXPECT_EQ(read("ByteStorage", "\x01\xfe"), (std::vector<float>{1, 254}));
  EXPECT_EQ(read("BoolStorage", std::string("\x01\x00", 2)), (std::vector<float>{1, 0}));
}

TEST(TorchCheckpoints, LongArchivesAreRead) {
  const auto pickle = PickleSample().tensor("0", {2, 3});
  const std::vector<float> values{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(root_numbers(checkpoint_sample(pickle, {{"0", floats_of(values)}}, true), 3), values);
}

TEST(TorchCheckpoints, ValuesAreFoundByKeyAndPlace) {
  PickleSample pickle;
  pickle.op("}(").text("a").op("\x8a\x02\xff\x7f").text("b").op("\x8a\x01\xff");
  pickle.text("c").op("G" + std::string("\x40\x09\x21\xfb\x54\x44\x2d\x18", 8));
  pickle.text("d")
      .op("]q\x05(")
      .integer(7)
      .op("\x88"
          "e")
      .op("u");
  const TemporaryFile file(archive_of(pickle), "");
  const InputFile input(file.path());
  const TorchCheckpoint checkpoint(input);
  const Pickle& read = checkpoint.pickle();
  ASSERT_EQ(read.root().kind, PickleValue::Kind::dict);
  EXPECT_EQ(read.find(read.root(), "a")->integer, 0x7fff);
  EXPECT_EQ(read.find(read.root(), "b")->integer, -1);
  EXPECT_DOUBLE_EQ(read.find(read.root(), "c")->real, std::acos(-1.0));
  const PickleValue* list = read.find(read.root(), "d");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(read.item(*list, 0)->integer, 7);
  EXPECT_EQ(read.item(*list, 1)->integer, 1);
  EXPECT_EQ(read.item(*list, 2), nullptr);
  EXPECT_EQ(read.find(read.root(), "x"), nullptr);
  EXPECT_EQ(read.find(*list, "x"), nullptr);
}

/// The usual ways to run something from a pickle.
TEST(TorchCheckpoints, NothingIsRun) {
  const auto call = [](const std::string& module, const std::string& what) {
    return archive_of(PickleSample().name(module, what).op("(").text("true").op("tR"));
  };
  expect_refused(call("os", "system"), "os.system");
  expect_refused(call("posix", "system"), "posix.system");
  expect_refused(call("builtins", "eval"), "builtins.eval");
  expect_refused(call("torch", "load"), "torch.load");
  expect_refused(call("torch._utils", "_rebuild_tensor"), "_rebuild_tensor");
  expect_refused(call("os\x1b[2J", "system"), "os\\x1b[2J.system");
  PickleSample stacked;
  stacked.text("os").text("system").op("\x93(").text("true").op("tR");
  expect_refused(archive_of(stacked), "os.system");
  for (const char* op : {"i", "o", "\x81", "\x92", "\x97", "P", "\x82", "\x83"}) {
    expect_refused(archive_of(PickleSample().op("(").text("a").op(op)), "operation");
  }
  expect_refused(archive_of(PickleSample().text("os.system").op("(tR")), "no function");
  // Whatever an inert object is called or given, it stays one.
  PickleSample inert;
  inert.name("numpy", "dtype")
      .op("(tR}")
      .text("__reduce__")
      .integer(1)
      .op("sb(")
      .text("x")
      .op("tR");
  expect_refused(archive_of(inert), "no function");
}

TEST(TorchCheckpoints, DamagedPicklesAreNamed) {
  expect_refused(archive_of(PickleSample()), "empty stack");
  expect_refused(archive_of(PickleSample().op("0")), "empty stack");
  expect_refused(archive_of(PickleSample().op("(0")), "empty stack");
  expect_refused(archive_of(PickleSample().op("t")), "mark");
  expect_refused(archive_of(PickleSample().op("h\x07")), "has not stored");
  expect_refused(archive_of(PickleSample().op("X\xff\xff\xff\x7f")), "truncated");
  expect_refused(archive_of(PickleSample().op("NNs")), "empty stack");
  expect_refused(archive_of(PickleSample().op("NNNs")), "no dictionary");
  expect_refused(archive_of(PickleSample().op("}(Nu")), "without a value");
  expect_refused(archive_of(PickleSample().op("NNa")), "no list");
  expect_refused(archive_of(PickleSample().op("c").op("torch")), "truncated");
  expect_refused(archive_of(PickleSample().text("storage").op("Q")), "no storage");
  expect_refused(archive_of(PickleSample().op("\x80\x06N")), "protocol");
  expect_refused(archive_of(PickleSample().text("text")), "no tensor root");
  std::string many(250000, 'N');
  expect_refused(archive_of(PickleSample().op(many)), "more values");
  expect_refused(archive_of(PickleSample().op("(").tensor(std::string(5000, 'k'), {1})),
                 "long name");
}

TEST(TorchCheckpoints, TensorsBeyondTheirStoragesAreRefused) {
  const auto tensor = [](std::int64_t count, std::int64_t offset,
                         const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& stride) {
    return archive_of(PickleSample().tensor("0", "FloatStorage", count, offset, shape, stride));
  };
  EXPECT_EQ(refusal(tensor(6, 0, {2, 3}, {3, 1})), "");
  expect_refused(tensor(6, 1, {2, 3}, {3, 1}), "beyond");
  expect_refused(tensor(6, 0, {2, 3}, {4, 1}), "beyond");
  expect_refused(tensor(6, 0, {3, 3}, {0, 1}), "beyond");  // repeats numbers
  expect_refused(tensor(6, 2147483647, {2, 3}, {3, 1}), "beyond");
  expect_refused(tensor(6, 0, {2, 3}, {2147483647, 2147483647}), "beyond");
  expect_refused(tensor(6, -1, {2, 3}, {3, 1}), "negative");
  expect_refused(tensor(6, 0, {2, -3}, {3, 1}), "negative");
  expect_refused(tensor(6, 0, {2, 3}, {3}), "strides differ");
  expect_refused(tensor(7, 0, {2, 3}, {3, 1}), "another size");
  expect_refused(tensor(6, 0, {3, 2}, {2, 1}), "wrong shape");
  expect_refused(tensor(6, 0, {0, 3}, {3, 1}), "wrong shape");
  expect_refused(tensor(6, 0, {}, {}), "wrong shape");
  const std::int64_t most = 2147483647;
  expect_refused(tensor(6, 0, {most, most, most, 3}, {1, 1, 1, 1}), "wrong shape");
  expect_refused(archive_of(PickleSample().tensor("1", {2, 3})), "missing");
  expect_refused(archive_of(PickleSample().tensor("../data.pkl", {2, 3})), "missing");
}

TEST(TorchCheckpoints, DamagedArchivesAreNamed) {
  const std::string good = archive_of(PickleSample().tensor("0", {2, 3}));
  EXPECT_EQ(refusal(good), "");
  expect_refused(good.substr(0, good.size() - 1), "directory");
  expect_refused("PK", "short");
  const auto changed = [&](std::size_t from_end, char value) {
    std::string content = good;
    content[content.size() - from_end] = value;
    return content;
  };
  expect_refused(changed(3, '\x7f'), "beyond");      // the offset of the directory
  expect_refused(changed(7, '\x7f'), "lists");       // its size
  expect_refused(changed(12, '\x50'), "truncated");  // the number of files
  ZipSample twice;
  twice.add("a/data.pkl", "N.");
  twice.add("a/data.pkl", "N.");
  expect_refused(twice.bytes(), "two files");
  ZipSample packed_zip;
  packed_zip.method = 8;
  packed_zip.add("a/data.pkl", "N.");
  expect_refused(packed_zip.bytes(), "without compression");
  ZipSample big;
  big.add("a/data.pkl", PickleSample().tensor("0", {2, 3}).bytes());
  big.add("a/byteorder", "big");
  expect_refused(big.bytes(), "byte order");
  expect_refused(std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 15) +
                     std::string(100, 'x'),
                 "before version 1.6");
}

/// Each change of a byte gives the numbers or an Error.
TEST(TorchCheckpoints, ChangedBytesAreReadOrRefused) {
  const std::string good = chkpnt_sample(random_tensors4d(2, 4, [] { return 0.25; }));
  std::mt19937 engine(3);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string content = good;
    for (int k = 0; k < 2; ++k) {
      content[engine() % content.size()] = static_cast<char>(engine());
    }
    refused += refusal(content).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace mote
