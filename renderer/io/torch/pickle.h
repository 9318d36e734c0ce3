#pragma once

// The pickles of PyTorch checkpoints, read without running anything. A pickle is a program that may
// call any function of Python; this reader knows the operations that build values, and a short list
// of functions by name, which it describes instead of calling. All others are refused.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/torch/torch_tensor.h"

namespace mote {

/// A value of a pickle. Values that it contains are given by their places in Pickle.
struct PickleValue {
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    real,
    text,
    list,  // or a tuple
    dict,
    tensor,
    storage,
    name,  // of a function or class that is in the list
    inert  // the result of a function that is only described, or an object of Python
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;
  double real = 0;
  std::string text = {};
  std::vector<std::uint32_t> items = {};  // of a list; of a dict keys and values in turns
  TorchTensor tensor = {};                // of a storage: type, key and count
};

/// The values of a pickle.
class Pickle {
 public:
  /// Reads a pickle of protocol 2 to 5. Throws Error, which names `name` and the byte, for
  /// operations and functions that are not in the list, and for damaged pickles. Takes memory in
  /// proportion to the bytes.
  Pickle(std::span<const std::byte> bytes, const std::string& name);

  const PickleValue& root() const { return values_.back(); }
  const PickleValue& at(std::uint32_t place) const { return values_[place]; }
  /// An item of a list; null if the value is no list, or shorter.
  const PickleValue* item(const PickleValue& list, std::size_t index) const {
    const bool has = list.kind == PickleValue::Kind::list && index < list.items.size();
    return has ? &values_[list.items[index]] : nullptr;
  }
  /// The value of a dict with that text as key; null if there is none.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;

 private:
  std::vector<PickleValue> values_;  // the last is the root
};

}  // namespace mote
