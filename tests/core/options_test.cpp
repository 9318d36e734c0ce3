// The option table: text and JSON to values and back, and the messages of refusals.
#include "core/options.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/spelling.h"

namespace mote {
namespace {

struct Values {
  bool flag = false;
  int count = 3;
  double threshold = 0.5;
  std::string mode = "fast";
  std::vector<std::string> outputs{"rgb"};
  std::vector<double> position{0, 0, 0};
};

OptionTable table_of(Values& values) {
  OptionTable table;
  table.add({.name = "flag", .target = &values.flag, .help = ""})
      .add({.name = "max-count", .target = &values.count, .help = "", .minimum = 1, .maximum = 10})
      .add({.name = "threshold", .target = &values.threshold, .help = "", .minimum = 0})
      .add({.name = "mode", .target = &values.mode, .help = "", .choices = {"fast", "exact"}})
      .add({.name = "outputs",
            .target = &values.outputs,
            .help = "",
            .choices = {"rgb", "alpha", "depth"}})
      .add({.name = "position", .target = &values.position, .help = "", .length = 3});
  return table;
}

void set(const OptionTable& table, const char* name, const char* text) {
  set_option(*table.find(name), text);
}

/// The message of the refusal of `action`; empty if it succeeds.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(Options, TextSetsEveryKindOfValue) {
  Values values;
  const OptionTable table = table_of(values);
  set(table, "flag", "true");
  set(table, "max-count", "+7");
  set(table, "threshold", "1e-3");
  set(table, "mode", "exact");
  set(table, "outputs", "rgb,depth");
  set(table, "position", "-1,2.5,3e2");
  EXPECT_TRUE(values.flag);
  EXPECT_EQ(values.count, 7);
  EXPECT_EQ(values.threshold, 1e-3);
  EXPECT_EQ(values.mode, "exact");
  EXPECT_EQ(values.outputs, (std::vector<std::string>{"rgb", "depth"}));
  EXPECT_EQ(values.position, (std::vector<double>{-1, 2.5, 300}));
}

TEST(Options, ValuesSurviveTheRoundTripThroughJson) {
  Values values{.flag = true,
                .count = 9,
                .threshold = 0.1,
                .mode = "exact",
                .outputs = {"alpha", "depth"},
                .position = {1, 2, 3}};
  const nlohmann::json json = table_of(values).to_json();
  Values copy;
  table_of(copy).from_json(nlohmann::json::parse(json.dump()), "config.json");
  EXPECT_EQ(table_of(copy).to_json(), json);
  EXPECT_EQ(copy.outputs, values.outputs);
}

TEST(Options, ValuesSurviveTheRoundTripThroughText) {
  Values values{.threshold = 0.1, .outputs = {"rgb", "depth"}, .position = {0.1, -2, 1e-30}};
  Values copy;
  const OptionTable from = table_of(values), to = table_of(copy);
  for (const Option& option : from.options()) {
    set_option(*to.find(option.name), option_text(option));
  }
  EXPECT_EQ(to.to_json(), from.to_json());
}

TEST(Options, BoundsAreWrittenAsPeopleWriteThem) {
  double value = 0;
  Option option{.name = "x", .target = &value, .help = "", .minimum = 0, .maximum = 1e8};
  EXPECT_EQ(allowed_values(option), "0 to 100000000");
  option.minimum = 0.25;
  EXPECT_EQ(allowed_values(option), "0.25 to 100000000");
}

TEST(Options, InvalidTextIsRefusedWithTheFlagAndTheText) {
  Values values;
  const OptionTable table = table_of(values);
  const std::pair<const char*, const char*> kWrong[] = {
      {"flag", "maybe"},      {"max-count", "0"},           {"max-count", "11"},
      {"max-count", "2.5"},   {"max-count", "x"},           {"max-count", ""},
      {"max-count", "3 "},    {"max-count", "99999999999"}, {"threshold", "-1"},
      {"threshold", "nan"},   {"threshold", "inf"},         {"threshold", "1e999"},
      {"threshold", "0.5px"}, {"threshold", "+-1"},         {"mode", "slow"},
      {"outputs", "rgb,,"},   {"outputs", "normals"},       {"position", "1,2"},
      {"position", "1,2,x"},  {"position", "1,2,3,4"},      {"position", ""},
  };
  for (const auto& wrong : kWrong) {
    const char *name = wrong.first, *text = wrong.second;
    const std::string message = refusal([&] { set(table, name, text); });
    EXPECT_NE(message.find(std::string("--") + name), std::string::npos)
        << name << " took '" << text << "': " << message;
  }
  EXPECT_NE(refusal([&] { set(table, "max-count", "11"); }).find("1 to 10"), std::string::npos);
  EXPECT_NE(refusal([&] { set(table, "mode", "exat"); }).find("did you mean 'exact'"),
            std::string::npos);
}

TEST(Options, JsonOfTheWrongShapeIsRefusedWithFileAndKey) {
  const char* kWrong[] = {
      R"({"max-count": "3"})",
      R"({"max-count": 2.5})",
      R"({"max-count": 99999999999})",
      R"({"max-count": 18446744073709551615})",
      R"({"max-count": 0})",
      R"({"threshold": null})",
      R"({"flag": 1})",
      R"({"mode": "slow"})",
      R"({"mode": ["fast"]})",
      R"({"outputs": "rgb"})",
      R"({"outputs": [1]})",
      R"({"position": []})",
      R"({"position": [1, 2]})",
      R"({"positoin": [1, 2, 3]})",
  };
  for (const char* text : kWrong) {
    Values values;
    OptionTable table = table_of(values);
    const std::string message =
        refusal([&] { table.from_json(nlohmann::json::parse(text), "config.json"); });
    EXPECT_TRUE(message.starts_with("config.json")) << text << ": " << message;
  }
  Values values;
  OptionTable table = table_of(values);
  EXPECT_FALSE(refusal([&] { table.from_json(nlohmann::json::array(), "config.json"); }).empty());
}

TEST(Options, JsonKeysMayHaveUnderscores) {
  Values values;
  table_of(values).from_json({{"max_count", 5}}, "config.json");
  EXPECT_EQ(values.count, 5);
}

TEST(Options, ARefusedListNamesTheNearestKey) {
  Values values;
  OptionTable table = table_of(values);
  const std::string message = refusal([&] { table.from_json({{"treshold", 1}}, "config.json"); });
  EXPECT_NE(message.find("threshold"), std::string::npos) << message;
}

TEST(Spelling, FindsSimilarNamesAndNoDistantOnes) {
  const std::vector<std::string> names{"info", "convert", "devices", "render"};
  EXPECT_EQ(nearest_name("inof", names), "info");
  EXPECT_EQ(nearest_name("covnert", names), "convert");
  EXPECT_EQ(nearest_name("device", names), "devices");
  EXPECT_EQ(nearest_name("xyz", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), names), "");
}

TEST(Spelling, ListsNames) {
  EXPECT_EQ(listed(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

TEST(Options, JsonKeysThatStartWithAHashAreComments) {
  Values values;
  table_of(values).from_json({{"#version", 7}, {"max_count", 4}}, "c.json");
  EXPECT_EQ(values.count, 4);
}

}  // namespace
}  // namespace mote
