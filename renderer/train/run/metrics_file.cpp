#include "train/run/metrics_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/growing_file.h"
#include "core/log.h"

namespace mote {
namespace {

struct Column {
  std::string_view name;
  double MetricsRow::*value;
  int digits;
};

constexpr Column kColumns[] = {
    {"step", &MetricsRow::step, 15},
    {"seconds", &MetricsRow::seconds, 6},
    {"loss", &MetricsRow::loss, 6},
    {"l1", &MetricsRow::l1, 6},
    {"ssim", &MetricsRow::ssim, 6},
    {"psnr_train", &MetricsRow::psnr_train_db, 6},
    {"psnr_test", &MetricsRow::psnr_test_db, 6},
    {"", &MetricsRow::count, 15},  // named after the elements of the model
    {"steps_per_s", &MetricsRow::steps_per_s, 5},
    {"project_ms", &MetricsRow::project_ms, 5},
    {"forward_ms", &MetricsRow::forward_ms, 5},
    {"loss_ms", &MetricsRow::loss_ms, 5},
    {"backward_ms", &MetricsRow::backward_ms, 5},
    {"update_ms", &MetricsRow::update_ms, 5},
    {"step_ms", &MetricsRow::step_ms, 5},
    {"interlevel", &MetricsRow::interlevel, 6},  // empty for models without proposals
    {"distortion", &MetricsRow::distortion, 6},
};

std::string header_line(std::string_view counted) {
  std::string line;
  for (const Column& column : kColumns) {
    line.append(line.empty() ? "" : ",").append(column.name.empty() ? counted : column.name);
  }
  return line + "\n";
}

/// NaN is written as an empty cell.
std::string line_of(const MetricsRow& row) {
  std::string line;
  for (const Column& column : kColumns) {
    if (&column != kColumns) line += ',';
    const double value = row.*column.value;
    if (!std::isnan(value)) line += fmt::format("{:.{}g}", value, column.digits);
  }
  return line + "\n";
}

/// Parses a line. Empty if line_of() did not write it or if it is incomplete.
std::optional<MetricsRow> parsed(std::string_view line) {
  MetricsRow row;
  for (const Column& column : kColumns) {
    const bool last = &column == std::end(kColumns) - 1;
    const std::size_t end = last ? line.size() : line.find(',');
    if (end == std::string_view::npos) return {};
    const std::string_view cell = line.substr(0, end);
    double value = std::numeric_limits<double>::quiet_NaN();
    const auto [stop, fault] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (!cell.empty() && (fault != std::errc() || stop != cell.data() + cell.size())) return {};
    row.*column.value = value;
    line.remove_prefix(last ? end : end + 1);
  }
  if (std::isnan(row.step)) return {};
  return row;
}

/// The name of the counted elements in a header; empty if header_line() did not write it.
std::string counted_in(std::string_view header) {
  std::size_t start = 0;
  for (const Column& column : kColumns) {
    const std::size_t end = std::min(header.find(',', start), header.size());
    const std::string name(header.substr(start, end - start));
    if (column.name.empty()) return header_line(name) == header ? name : "";
    start = std::min(end + 1, header.size());
  }
  return {};
}

/// The rows of complete lines up to a step. A file with other columns counts as empty.
std::vector<MetricsRow> read_rows(const std::filesystem::path& path, std::string_view counted,
                                  std::uint64_t last_step) {
  MetricsTable table = read_metrics(path);
  if (table.counted != counted) return {};
  const auto later = std::ranges::find_if(table.rows, [last_step](const MetricsRow& row) {
    return row.step > static_cast<double>(last_step);
  });
  table.rows.erase(later, table.rows.end());
  return std::move(table.rows);
}

}  // namespace

MetricsTable read_metrics(const std::filesystem::path& path) {
  MetricsTable table;
  if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return table;
  const std::string text = read_text_file(path);
  std::size_t start = text.find('\n') + 1;  // 0 if there is no whole line
  table.counted = counted_in(std::string_view(text).substr(0, start));
  if (table.counted.empty()) return table;
  for (;;) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) return table;
    const auto row = parsed(std::string_view(text).substr(start, end - start));
    if (!row) return table;
    table.rows.push_back(*row);
    start = end + 1;
  }
}

double psnr_of_mse(double mse) {
  constexpr double kSame = 1e-10;
  return -10 * std::log10(std::max(mse, kSame));
}

void IntervalSums::add(const TrainReport& report, double step_s) {
  const PhotoStepResult& result = report.result;
  ++steps;
  seconds += step_s;
  if (report.has_losses()) {
    ++measured;
    sums.loss += result.loss;
    sums.l1 += result.l1;
    sums.ssim += result.ssim;
    sums.psnr_train_db += psnr_of_mse(result.mse);
  }
  sums.project_ms += result.project_ms;
  sums.forward_ms += result.forward_ms;
  sums.loss_ms += result.loss_ms;
  sums.backward_ms += result.backward_ms;
  sums.update_ms += result.update_ms;
  sums.step_ms += 1000 * step_s;
  sums.interlevel += result.interlevel;
  sums.distortion += result.distortion;
}

MetricsRow IntervalSums::take(const TrainReport& report, double run_s) {
  MetricsRow row = sums;
  const auto count = static_cast<double>(std::max<std::uint64_t>(steps, 1));
  for (const Column& column : kColumns) row.*column.value /= count;
  // NaN if no step has losses.
  const double share = static_cast<double>(measured) / count;
  for (double* loss : {&row.loss, &row.l1, &row.ssim, &row.psnr_train_db}) *loss /= share;
  row.step = static_cast<double>(report.step);
  row.count = static_cast<double>(report.count);
  row.seconds = run_s;
  row.steps_per_s = seconds > 0 ? static_cast<double>(steps) / seconds : 0;
  row.psnr_test_db = std::numeric_limits<double>::quiet_NaN();
  *this = {};
  return row;
}

MetricsFile::MetricsFile(std::filesystem::path path, std::string_view counted,
                         std::uint64_t last_step)
    : path_(std::move(path)),
      header_(header_line(counted)),
      rows_(read_rows(path_, counted, last_step)) {
  write_whole();
  file_ = std::make_unique<GrowingFile>(path_, [this] { return whole_text(); });
}

std::string MetricsFile::whole_text() const {
  std::string text = header_;
  for (std::size_t i = 0; i < in_file_; ++i) text += line_of(rows_[i]);
  return text;
}

void MetricsFile::write_whole() {
  in_file_ = rows_.size();
  OutputFile whole(path_);
  whole.write(whole_text());
  whole.commit();
}

void MetricsFile::append(const MetricsRow& row) {
  rows_.push_back(row);
  std::string lines;
  for (std::size_t i = in_file_; i < rows_.size(); ++i) lines += line_of(rows_[i]);
  if (file_->append(lines)) {
    in_file_ = rows_.size();
    return;
  }
  const int number = errno;
  if (!warned_) log_warning("{}: cannot be written: {}", path_.string(), system_message(number));
  warned_ = true;
}

}  // namespace mote
