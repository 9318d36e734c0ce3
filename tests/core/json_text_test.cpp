// Messages about texts that are not JSON: file, line, what is wrong, remedy.
#include "core/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/thrown_by.h"

namespace mote {
namespace {

Error fault_of(const std::string& text, bool allow_comments = false) {
  return thrown_by([&] { parsed_json(text, "a.json", "write it again", allow_comments); });
}

TEST(JsonText, OfValuesIsParsedWithCommentsWhereTheyAreAllowed) {
  EXPECT_EQ(parsed_json("{\"a\": [1, 2]}", "a.json", "")["a"][1], 2);
  EXPECT_EQ(parsed_json("[3] // three", "a.json", "", true)[0], 3);
  EXPECT_EQ(fault_of("[3]\n// three").where(), "a.json, line 2");
}

TEST(JsonText, WithAFaultIsRefusedWithItsLineInPlainWords) {
  struct Case {
    const char *text, *where, *problem;
  };
  const Case cases[] = {
      {"", "a.json, line 1", "is not valid JSON: it ends too early"},
      {"{\"a\": [1,\n2,\n", "a.json, line 3", "is not valid JSON: it ends too early"},
      {"{\"a\": 1,\n}", "a.json, line 2", "is not valid JSON: unexpected '}'"},
      {"{\n\n  a: 1}", "a.json, line 3", "is not valid JSON: unexpected 'a'"},
      {"{\"a\": \"b\n}", "a.json, line 1",
       "is not valid JSON: a text or a word ends with the line"},
      {"\xff", "a.json, line 1", "is not valid JSON"},
  };
  for (const Case& own : cases) {
    const Error error = fault_of(own.text);
    EXPECT_EQ(error.where(), own.where) << own.text;
    EXPECT_EQ(error.problem(), own.problem) << own.text;
    EXPECT_EQ(error.remedy(), "write it again") << own.text;
  }
}

TEST(JsonText, WithALargeNumberIsNotCalledDamaged) {
  const Error error = fault_of("{\"a\": 1e999}");
  EXPECT_EQ(error.problem(), "has a number that is too large");
  EXPECT_EQ(error.where(), "a.json");
  EXPECT_EQ(error.remedy(), "correct the number");
  EXPECT_EQ(
      json_error("[\n1e999]", {.bytes_read = 8, .is_large_number = true}, "a.json", "").where(),
      "a.json, line 2");
}

}  // namespace
}  // namespace mote
