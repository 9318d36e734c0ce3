#pragma once

#include <cstdint>

namespace mote::pickle {

/// The operations of pickles that build values, as in Python's pickletools.
enum class Op : std::uint8_t {
  mark = '(',
  stop = '.',
  pop = '0',
  pop_mark = '1',
  bin_float = 'G',
  bin_int = 'J',
  bin_int1 = 'K',
  bin_int2 = 'M',
  none = 'N',
  bin_pers_id = 'Q',
  reduce = 'R',
  bin_string = 'T',
  short_bin_string = 'U',
  bin_unicode = 'X',
  bin_bytes = 'B',
  short_bin_bytes = 'C',
  append = 'a',
  build = 'b',
  global = 'c',
  dict = 'd',
  appends = 'e',
  bin_get = 'h',
  long_bin_get = 'j',
  list = 'l',
  bin_put = 'q',
  long_bin_put = 'r',
  set_item = 's',
  tuple = 't',
  set_items = 'u',
  empty_tuple = ')',
  empty_list = ']',
  empty_dict = '}',
  proto = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  new_true = 0x88,
  new_false = 0x89,
  long1 = 0x8a,
  short_bin_unicode = 0x8c,
  stack_global = 0x93,
  memoize = 0x94,
  frame = 0x95
};

}  // namespace mote::pickle
