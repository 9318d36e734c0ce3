#include "io/torch/pickle.h"

#include <bit>
#include <unordered_map>

#include "core/bytes.h"
#include "core/error.h"
#include "core/printable.h"
#include "io/torch/pickle_names.h"
#include "io/torch/pickle_operations.h"

namespace mote {
namespace {

using pickle::Op;
using ValueKind = PickleValue::Kind;

constexpr const char* kSaveAgain =
    "save the tensors alone, with torch.save of a dictionary, if you trust the file";

/// A value takes some 300 bytes.
constexpr std::size_t kMostValues = 200000, kLongestKey = 200;

/// The machine of pickles: a stack of values, and a memory of values by numbers.
class Unpickler {
 public:
  Unpickler(std::span<const std::byte> bytes, const std::string& name) : reader_(bytes, name) {}

  std::vector<PickleValue> run() {
    while (step()) {
    }
    const std::uint32_t root = pop();
    PickleValue copy = values_[root];
    values_.push_back(std::move(copy));
    return std::move(values_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem,
                           const char* remedy = "copy or download the file again") const {
    throw Error(problem, reader_.where(), remedy);
  }

  void push(std::uint32_t value) { stack_.push_back(value); }
  void push_new(PickleValue value) {
    if (values_.size() >= kMostValues) refuse("its pickle has more values than a checkpoint");
    push(static_cast<std::uint32_t>(values_.size()));
    values_.push_back(std::move(value));
  }
  std::uint32_t pop() {
    const std::size_t least = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= least) refuse("its pickle takes a value from an empty stack");
    const std::uint32_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  PickleValue& top() {
    const std::uint32_t place = pop();
    push(place);
    return values_[place];
  }
  /// The values above the last mark, which is removed.
  std::vector<std::uint32_t> pop_to_mark() {
    if (marks_.empty()) refuse("its pickle takes a mark that is not there");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::uint32_t> above(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return above;
  }
  /// The last `count` values as a list.
  void push_tuple(std::size_t count) {
    std::vector<std::uint32_t> items(count);
    for (std::size_t k = count; k > 0; --k) items[k - 1] = pop();
    push_new({.kind = ValueKind::list, .items = std::move(items)});
  }

  void push_text(std::size_t count) {
    const auto bytes = reader_.take(count);
    push_new({.kind = ValueKind::text,
              .text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
  }
  void push_integer(std::int64_t value) {
    push_new({.kind = ValueKind::integer, .integer = value, .real = static_cast<double>(value)});
  }
  /// A line of text.
  std::string line() {
    std::string text;
    for (;;) {
      const auto letter = reader_.read<char>();
      if (letter == '\n') return text;
      text += letter;
    }
  }

  void push_name(const std::string& module, const std::string& what) {
    const std::string name = module + " " + what;
    if (!pickle::is_known(name)) {
      refuse("its pickle calls " + printable(module.substr(0, 60)) + "." +
                 printable(what.substr(0, 60)) + ", and this program runs nothing of a checkpoint",
             kSaveAgain);
    }
    push_new({.kind = ValueKind::name, .text = name});
  }

  void append(PickleValue& list, std::span<const std::uint32_t> items) {
    if (list.kind == ValueKind::inert) return;
    if (list.kind != ValueKind::list) refuse("its pickle adds an item to a value that is no list");
    list.items.insert(list.items.end(), items.begin(), items.end());
  }
  void set_items(PickleValue& dict, std::span<const std::uint32_t> items) {
    if (items.size() % 2 != 0) refuse("its pickle sets a key without a value");
    if (dict.kind == ValueKind::inert) return;
    if (dict.kind != ValueKind::dict)
      refuse("its pickle sets a key of a value that is no dictionary");
    dict.items.insert(dict.items.end(), items.begin(), items.end());
  }

  const PickleValue& item(const PickleValue& list, std::size_t index, ValueKind kind) const {
    if (index >= list.items.size() || values_[list.items[index]].kind != kind) {
      refuse("its pickle describes a tensor in another way than PyTorch");
    }
    return values_[list.items[index]];
  }
  std::uint64_t count_at(const PickleValue& list, std::size_t index) const {
    const std::int64_t number = item(list, index, ValueKind::integer).integer;
    if (number < 0) refuse("its pickle gives a tensor a negative number");
    return static_cast<std::uint64_t>(number);
  }

  /// ('storage', type, key, place, count)
  void push_storage() {
    const PickleValue& id = values_[pop()];
    if (id.kind != ValueKind::list || item(id, 0, ValueKind::text).text != "storage") {
      refuse("its pickle names an object outside that is no storage");
    }
    const auto type = torch_storage_type(item(id, 1, ValueKind::name).text);
    if (!type) refuse("its pickle has a storage of an unknown type");
    if (item(id, 2, ValueKind::text).text.size() > kLongestKey) {
      refuse("its pickle has a storage with a long name");
    }
    push_new({.kind = ValueKind::storage,
              .tensor = {.type = *type,
                         .key = item(id, 2, ValueKind::text).text,
                         .storage_count = count_at(id, 4),
                         .shape = {},
                         .stride = {}}});
  }

  /// (storage, offset, shape, stride, ...)
  PickleValue tensor_of(const PickleValue& arguments) const {
    PickleValue value = item(arguments, 0, ValueKind::storage);
    value.kind = ValueKind::tensor;
    value.tensor.offset = count_at(arguments, 1);
    const PickleValue& shape = item(arguments, 2, ValueKind::list);
    const PickleValue& stride = item(arguments, 3, ValueKind::list);
    constexpr std::size_t kMostDimensions = 8;
    if (shape.items.size() != stride.items.size() || shape.items.size() > kMostDimensions) {
      refuse("its pickle has a tensor whose shape and strides differ");
    }
    for (std::size_t k = 0; k < shape.items.size(); ++k) {
      value.tensor.shape.push_back(count_at(shape, k));
      value.tensor.stride.push_back(count_at(stride, k));
    }
    return value;
  }

  /// Describes the result of a call.
  void reduce() {
    const std::uint32_t place = pop();
    const PickleValue &arguments = values_[place], &callee = values_[pop()];
    if (arguments.kind != ValueKind::list || callee.kind != ValueKind::name) {
      refuse("its pickle calls a value that is no function", kSaveAgain);
    }
    if (callee.text == pickle::kRebuildTensor) {
      push_new(tensor_of(arguments));
    } else if (callee.text == pickle::kRebuildParameter) {
      item(arguments, 0, ValueKind::tensor);
      push(arguments.items[0]);
    } else if (callee.text == pickle::kOrderedDict) {
      push_new({.kind = ValueKind::dict});
    } else {
      push_new({.kind = ValueKind::inert});
    }
  }

  void get(std::uint32_t number) {
    const auto found = memory_.find(number);
    if (found == memory_.end()) refuse("its pickle names a value that it has not stored");
    push(found->second);
  }
  void put(std::uint32_t number) {
    top();
    memory_[number] = stack_.back();
  }

  /// Little-endian two's complement of up to eight bytes.
  void push_long() {
    const auto size = reader_.read<std::uint8_t>();
    if (size > sizeof(std::int64_t)) {
      reader_.skip(size);
      push_new({.kind = ValueKind::inert});
      return;
    }
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < size; ++k) {
      value |= std::uint64_t{reader_.read<std::uint8_t>()} << (8 * k);
    }
    const std::uint64_t sign = size == 0 ? 0 : std::uint64_t{1} << (8 * size - 1);
    push_integer(static_cast<std::int64_t>((value ^ sign) - sign));
  }
  void push_real() {
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k) bits = bits << 8 | reader_.read<std::uint8_t>();
    push_new({.kind = ValueKind::real, .real = std::bit_cast<double>(bits)});
  }

  /// Numbers, texts and constants. Returns whether the operation is one of these.
  bool push_constant(Op op) {
    switch (op) {
      case Op::bin_int:
        push_integer(reader_.read<std::int32_t>());
        return true;
      case Op::bin_int1:
        push_integer(reader_.read<std::uint8_t>());
        return true;
      case Op::bin_int2:
        push_integer(reader_.read<std::uint16_t>());
        return true;
      case Op::long1:
        push_long();
        return true;
      case Op::bin_float:
        push_real();
        return true;
      case Op::none:
        push_new({});
        return true;
      case Op::new_true:
      case Op::new_false:
        push_new({.kind = ValueKind::boolean, .integer = op == Op::new_true ? 1 : 0});
        return true;
      case Op::bin_unicode:
      case Op::bin_string:
      case Op::bin_bytes:
        push_text(reader_.read<std::uint32_t>());
        return true;
      case Op::short_bin_unicode:
      case Op::short_bin_string:
      case Op::short_bin_bytes:
        push_text(reader_.read<std::uint8_t>());
        return true;
      default:
        return false;
    }
  }

  /// Lists and dictionaries. Returns whether the operation is one of these.
  bool build(Op op) {
    switch (op) {
      case Op::empty_tuple:
      case Op::empty_list:
        push_new({.kind = ValueKind::list});
        return true;
      case Op::empty_dict:
        push_new({.kind = ValueKind::dict});
        return true;
      case Op::tuple1:
      case Op::tuple2:
      case Op::tuple3:
        push_tuple(1 + static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::tuple1));
        return true;
      case Op::tuple:
      case Op::list:
        push_new({.kind = ValueKind::list, .items = pop_to_mark()});
        return true;
      case Op::dict: {
        std::vector<std::uint32_t> items = pop_to_mark();
        push_new({.kind = ValueKind::dict});
        set_items(top(), items);
        return true;
      }
      case Op::append: {
        const std::uint32_t items[] = {pop()};
        append(top(), items);
        return true;
      }
      case Op::appends: {
        const std::vector<std::uint32_t> items = pop_to_mark();
        append(top(), items);
        return true;
      }
      case Op::set_item: {
        const std::uint32_t value = pop(), key = pop();
        const std::uint32_t items[] = {key, value};
        set_items(top(), items);
        return true;
      }
      case Op::set_items: {
        const std::vector<std::uint32_t> items = pop_to_mark();
        set_items(top(), items);
        return true;
      }
      default:
        return false;
    }
  }

  /// Returns false at the end.
  bool step() {
    const auto op = reader_.read<Op>();
    if (push_constant(op) || build(op)) return true;
    switch (op) {
      case Op::proto:
        if (reader_.read<std::uint8_t>() > 5) refuse("its pickle is of a later protocol than 5");
        break;
      case Op::frame:
        reader_.skip(8);
        break;
      case Op::mark:
        marks_.push_back(stack_.size());
        break;
      case Op::pop:
        pop();
        break;
      case Op::pop_mark:
        pop_to_mark();
        break;
      case Op::global: {
        const std::string module = line();
        push_name(module, line());
        break;
      }
      case Op::stack_global: {
        const PickleValue &what = values_[pop()], &module = values_[pop()];
        if (what.kind != ValueKind::text || module.kind != ValueKind::text) {
          refuse("its pickle calls a value that is no function", kSaveAgain);
        }
        push_name(module.text, what.text);
        break;
      }
      case Op::bin_pers_id:
        push_storage();
        break;
      case Op::reduce:
        reduce();
        break;
      case Op::build:
        pop();  // attributes of an object, which nothing here needs
        top();
        break;
      case Op::bin_put:
        put(reader_.read<std::uint8_t>());
        break;
      case Op::long_bin_put:
        put(reader_.read<std::uint32_t>());
        break;
      case Op::memoize:
        put(static_cast<std::uint32_t>(memory_.size()));
        break;
      case Op::bin_get:
        get(reader_.read<std::uint8_t>());
        break;
      case Op::long_bin_get:
        get(reader_.read<std::uint32_t>());
        break;
      case Op::stop:
        return false;
      default:
        refuse("its pickle has the operation " + std::to_string(static_cast<int>(op)) +
                   ", which checkpoints of tensors do not have",
               kSaveAgain);
    }
    return true;
  }

  ByteReader reader_;
  std::vector<PickleValue> values_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint32_t, std::uint32_t> memory_;
};

}  // namespace

Pickle::Pickle(std::span<const std::byte> bytes, const std::string& name)
    : values_(Unpickler(bytes, name).run()) {}

const PickleValue* Pickle::find(const PickleValue& dict, std::string_view key) const {
  if (dict.kind != ValueKind::dict) return nullptr;
  for (std::size_t k = 0; k + 1 < dict.items.size(); k += 2) {
    const PickleValue& name = values_[dict.items[k]];
    if (name.kind == ValueKind::text && name.text == key) return &values_[dict.items[k + 1]];
  }
  return nullptr;
}

}  // namespace mote
