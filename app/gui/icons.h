#pragma once

// The icons of Font Awesome 4.7 used by the window. Every font of the theme contains them, so that
// they can be mixed with text. icon_label() in widgets.h puts one before a label.

namespace mote::gui::icons {

// clang-format off
inline constexpr const char* kAdjust = "\uF042";
inline constexpr const char* kBan = "\uF05E";
inline constexpr const char* kBars = "\uF0C9";
inline constexpr const char* kBolt = "\uF0E7";
inline constexpr const char* kBox = "\uF1B2";
inline constexpr const char* kBrush = "\uF1FC";
inline constexpr const char* kCamera = "\uF030";
inline constexpr const char* kCheck = "\uF00C";
inline constexpr const char* kChip = "\uF2DB";
inline constexpr const char* kClock = "\uF017";
inline constexpr const char* kClose = "\uF00D";
inline constexpr const char* kColumns = "\uF0DB";
inline constexpr const char* kCompass = "\uF14E";
inline constexpr const char* kCopy = "\uF0C5";
inline constexpr const char* kCrop = "\uF125";
inline constexpr const char* kCubes = "\uF1B3";
inline constexpr const char* kCurves = "\uF201";
inline constexpr const char* kDown = "\uF107";
inline constexpr const char* kDrop = "\uF043";
inline constexpr const char* kDownload = "\uF019";
inline constexpr const char* kError = "\uF06A";
inline constexpr const char* kExpand = "\uF065";
inline constexpr const char* kEye = "\uF06E";
inline constexpr const char* kEyeClosed = "\uF070";
inline constexpr const char* kFile = "\uF016";
inline constexpr const char* kFilm = "\uF008";
inline constexpr const char* kFilter = "\uF0B0";
inline constexpr const char* kFlag = "\uF024";
inline constexpr const char* kFolder = "\uF07B";
inline constexpr const char* kFolderOpen = "\uF07C";
inline constexpr const char* kGauge = "\uF0E4";
inline constexpr const char* kGear = "\uF013";
inline constexpr const char* kGlobe = "\uF0AC";
inline constexpr const char* kHome = "\uF015";
inline constexpr const char* kInfo = "\uF05A";
inline constexpr const char* kKey = "\uF084";
inline constexpr const char* kKeyboard = "\uF11C";
inline constexpr const char* kLevelUp = "\uF148";
inline constexpr const char* kList = "\uF00B";
inline constexpr const char* kLog = "\uF0F6";
inline constexpr const char* kMagic = "\uF0D0";
inline constexpr const char* kMinus = "\uF068";
inline constexpr const char* kMove = "\uF047";
inline constexpr const char* kNext = "\uF054";
inline constexpr const char* kPaste = "\uF0EA";
inline constexpr const char* kPath = "\uF126";
inline constexpr const char* kPause = "\uF04C";
inline constexpr const char* kPencil = "\uF040";
inline constexpr const char* kPhotograph = "\uF03E";
inline constexpr const char* kPlay = "\uF04B";
inline constexpr const char* kPlus = "\uF067";
inline constexpr const char* kPointer = "\uF245";
inline constexpr const char* kPolygon = "\uF248";
inline constexpr const char* kPrevious = "\uF053";
inline constexpr const char* kRectangle = "\uF096";
inline constexpr const char* kRedo = "\uF01E";
inline constexpr const char* kRefresh = "\uF021";
inline constexpr const char* kRight = "\uF105";
inline constexpr const char* kSave = "\uF0C7";
inline constexpr const char* kSearch = "\uF002";
inline constexpr const char* kSliders = "\uF1DE";
inline constexpr const char* kStep = "\uF051";
inline constexpr const char* kStepBack = "\uF048";
inline constexpr const char* kStop = "\uF04D";
inline constexpr const char* kSwap = "\uF0EC";
inline constexpr const char* kTarget = "\uF05B";
inline constexpr const char* kTrain = "\uF19D";
inline constexpr const char* kTrash = "\uF014";
inline constexpr const char* kUndo = "\uF0E2";
inline constexpr const char* kVideo = "\uF03D";
inline constexpr const char* kWarning = "\uF071";
inline constexpr const char* kWrench = "\uF0AD";
// clang-format on

}  // namespace mote::gui::icons
