#include "app/viewer/session/action.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "app/viewer/script.h"
#include "core/options.h"

namespace mote {
namespace {

using Words = std::vector<std::string>;

TEST(SplitWords, KeepsBlanksInQuotesAndDropsComments) {
  EXPECT_EQ(split_words("  open a.ply\t'b c.ply' \"d'e\"  # a remark"),
            (Words{"open", "a.ply", "b c.ply", "d'e"}));
  EXPECT_EQ(split_words("open a#b ''"), (Words{"open", "a#b", ""}));
  EXPECT_TRUE(split_words("   # nothing").empty());
  EXPECT_THROW(split_words("open 'a"), UsageError);
  EXPECT_EQ(split_words(as_word("a 'b' #c")), Words{"a 'b' #c"});
  EXPECT_EQ(split_words(as_word("say \"a\"")), Words{"say \"a\""});
  for (const char* word : {"", "\"", "'", "12\" 'proof'.ply", "'\"\"'", "a\"b'c\"d'"}) {
    EXPECT_EQ(split_words(as_word(word)), Words{word});
  }
}

TEST(Actions, EachHasANameAGroupAndAHelpText) {
  std::set<std::string_view> names, keys;
  for (const Action& action : actions()) {
    EXPECT_TRUE(names.insert(action.name).second) << action.name;
    EXPECT_FALSE(action.help.empty()) << action.name;
    EXPECT_FALSE(action.group.empty()) << action.name;
    EXPECT_NE(action.run, nullptr) << action.name;
    for (const std::string_view key : {action.key, action.second_key}) {
      EXPECT_TRUE(key.empty() || keys.insert(key).second) << key;
    }
    bool optional = false;
    for (const ActionArgument& argument : action.arguments) {
      EXPECT_FALSE(optional && !argument.optional) << action.name << ": must come first";
      const bool named = argument.name == "PATH" || argument.name == "FOLDER";
      EXPECT_EQ(argument.path != PathUse::none, named && action.name != "drop") << action.name;
      const bool has_extensions =
          !argument.extensions.empty() || argument.extensions_now != nullptr;
      EXPECT_EQ(argument.path == PathUse::new_file, has_extensions) << action.name;
      optional = optional || argument.optional;
    }
  }
}

TEST(ParseAction, TakesTheLongestMatchingName) {
  EXPECT_EQ(parse_action("mode depth").action->name, "mode");
  EXPECT_EQ(parse_action("mode next").action->name, "mode next");
  const ActionCall call = parse_action("camera orbit 30 -10");
  EXPECT_EQ(call.action->name, "camera orbit");
  EXPECT_EQ(call.values, (std::vector<ActionValue>{"30", "-10"}));
  EXPECT_EQ(parse_action("").action, nullptr);
}

TEST(ParseAction, AQuotedWordIsAnArgument) {
  EXPECT_EQ(parse_action("photograph next").action->name, "photograph next");
  for (const char* line : {"photograph \"next\"", "photograph 'next'", "photograph ne\"xt\""}) {
    EXPECT_EQ(parse_action(line), ActionCall("photograph", "next")) << line;
  }
  EXPECT_EQ(parse_action("photograph \"number\"").values, (std::vector<ActionValue>{"number"}));
  EXPECT_THROW(parse_action("\"undo\""), UsageError);
}

TEST(ScriptLine, IsTheParsedLineWithQuotesOnlyWhereNecessary) {
  for (const char* line :
       {"undo", "camera orbit 30 -10.5", "open a#b.ply /scenes/c.ply", "open \"a b.ply\"",
        "open \"\"", "open \"#1.ply\" \"it's\"", "set tone filmic", "train start steps=100"}) {
    EXPECT_EQ(script_line(parse_action(line)), line);
  }
  EXPECT_EQ(script_line(parse_action("  open   'a.ply'  # a remark")), "open a.ply");
  EXPECT_EQ(script_line({}), "");
}

TEST(ScriptLine, MakesTheSameCallAgain) {
  for (const char* path : {"a.ply", "/home/me/my scans/12\" 'proof'.ply", "#1.ply", "", "\"", "'",
                           "tab\there", "camera orbit", "\xC3\xA4 b"}) {
    const ActionCall call("open", path, "second.ply");
    EXPECT_EQ(parse_action(script_line(call)), call) << path;
  }
  for (const char* name : {"next", "previous", "number", "next one", "7"}) {
    const ActionCall call("photograph", name);
    EXPECT_EQ(parse_action(script_line(call)), call) << name;
  }
  for (const double number : {0.1 + 0.2, 1.0 / 3, -1e-17, 123456789.125, 1e300, 5.0, -0.0}) {
    const ActionCall call("camera orbit", number, 2);
    const ActionCall again = parse_action(script_line(call));
    const Arguments built("", {}, call.values), parsed("", {}, again.values);
    EXPECT_EQ(built.number(0), number);
    EXPECT_EQ(parsed.number(0), number) << script_line(call);
    EXPECT_EQ(parsed.whole(1), 2);
  }
}

TEST(ActionCall, KeepsItsValuesApart) {
  const ActionCall call("place unit", 0.1, std::size_t{3});
  EXPECT_EQ(call.action->name, "place unit");
  EXPECT_EQ(call.values, (std::vector<ActionValue>{0.1, 3.0}));
  const Arguments arguments(call.action->name, call.action->arguments, call.values);
  EXPECT_EQ(arguments.words(), (Words{"0.1", "3"}));
  EXPECT_NE(call, ActionCall("place unit", 0.1, 4));
}

TEST(ActionCall, ARefusedNumberIsNamedAsInAScript) {
  const std::vector<ActionArgument> described{{"ANGLE", "degrees"}};
  for (const double number : {std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(Arguments("turn", described, {number}).number(0), UsageError);
  }
  EXPECT_THROW(Arguments("turn", described, {1.5}).whole(0), UsageError);
}

TEST(ParseAction, RefusesUnknownNamesAndWrongCounts) {
  for (const char* line : {"opne a.ply", "camera", "camera orbit 1", "quit now", "open",
                           "camera orbit 1 2 3", "'open a.ply'"}) {
    EXPECT_THROW(parse_action(line), UsageError) << line;
  }
  try {
    parse_action("camera obrit 1 2");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(error.remedy().find("camera orbit"), std::string::npos) << error.what();
  }
}

TEST(Arguments, TextThatIsNotANumberIsRefusedWithTheArgument) {
  const std::vector<ActionArgument> described{{"ANGLE", "degrees"}, {"HOW", "on or off"}};
  const Arguments arguments("turn", described, {"+1.5e1", "maybe"});
  EXPECT_EQ(arguments.number(0), 15);
  EXPECT_EQ(arguments.whole(0), 15);
  EXPECT_EQ(arguments.number_or(2, 7), 7);
  try {
    arguments.on_or_off(1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(error.where().find("HOW"), std::string::npos) << error.what();
  }
  for (const char* word : {"", "x", "1x", "nan", "inf", "1e999"}) {
    EXPECT_THROW(Arguments("turn", described, {word}).number(0), UsageError) << word;
  }
  EXPECT_THROW(Arguments("turn", described, {"1.5"}).whole(0), UsageError);
  EXPECT_THROW(arguments.word(5), UsageError);
}

TEST(AScript, NamesItsInvalidLine) {
  for (const char* text :
       {"quit\n\nopne a\n", "quit\n\nwait forever\n", "quit\n\nwait frames\n",
        "quit\n# remark\nwait still 3\n", "quit\n\nopen 'a\n", "quit\n\nwait frames -1"}) {
    try {
      const Script script(text, "my.txt");
      FAIL() << text;
    } catch (const UsageError& error) {
      EXPECT_NE(error.where().find("my.txt, line 3"), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(Script("wait still\nwait trained\nwait trained 50\nwait seconds 0.5\r\n", "s"));
}

}  // namespace
}  // namespace mote
