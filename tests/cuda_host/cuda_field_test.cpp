// Neural fields that the CUDA backend refuses. tests/backend/device_field_test.cpp has those that
// it draws.
#include <algorithm>
#include <string>

#include "backend/field_trainer.h"
#include "cuda/gpu_backend.h"
#include "field_kernels_fixture.h"
#include "fields/applications/field_layout.h"
#include "fields/image_plane.h"
#include "support/field_trainer_fixture.h"
#include "support/grid_field.h"
#include "support/thrown_by.h"
#include "support/tiny_proposals.h"

namespace mote::cuda {
namespace {

class CudaFields : public OnTheHostRun {
 protected:
  std::unique_ptr<Backend> cuda_ = make_gpu_backend("CUDA, run on the host", 2);
};

void expect_refused(Backend& cuda, const NeuralField& field, const std::string& phrase) {
  const Error error = thrown_by([&] { cuda.upload_field(field); });
  EXPECT_NE(error.problem().find(phrase), std::string::npos) << error.what();
  EXPECT_EQ(error.where(), cuda.description());
  EXPECT_EQ(error.remedy(), "use --device cpu");
}

TEST_F(CudaFields, RefuseWhatHasNoKernelsByItsName) {
  NeuralField nerf = tiny_field(FieldApplication::nerf, 1);
  nerf.proposals = tiny_proposals();
  nerf.proposals->rounds.resize(9, nerf.proposals->rounds.front());
  expect_refused(*cuda_, nerf, "more than 8 rounds");
  const NetworkConfig network{.neurons = 16, .hidden_layers = 1};
  expect_refused(*cuda_,
                 grid_field(FieldApplication::sdf, kSmallGrid,
                            {.kind = NetworkKind::gaussians, .neurons = 16}),
                 "Gaussians");
  NeuralField field = grid_field(FieldApplication::sdf, kSmallGrid, network);
  for (int part = 0; part < 8; ++part) {
    field.config.encoding->parts.push_back({Frequency{1}, 1, 2});
  }
  field.parameters.resize(field_parameters(field.application, field.config));
  expect_refused(*cuda_, field, "more than 8 parts");
  for (const bool is_density : {true, false}) {
    NeuralField own = new_field(1);
    (is_density ? own.config.network : own.config.color_network)->hidden_layers = 0;
    own.parameters.resize(nerf_layout(own.config).parameters);
    expect_refused(*cuda_, own, "without hidden layers");
  }
  for (const bool is_grid : {true, false}) {
    NeuralField own = new_field(1);
    const EncodingPart part =
        is_grid ? EncodingPart{GridEncoding{kSmallGrid}, 0, 3} : EncodingPart{Frequency{1}, 0, 3};
    own.config.direction_encoding->parts.assign(is_grid ? 1 : 5, part);
    own.parameters.resize(nerf_layout(own.config).parameters);
    expect_refused(*cuda_, own, is_grid ? "encoded by grids" : "more than 4 parts");
  }
}

TEST_F(CudaFields, RefuseImagesThatAreNotDrawn) {
  const NeuralField field =
      grid_field(FieldApplication::sdf, kSmallGrid, {.neurons = 16, .hidden_layers = 1});
  const auto surface = cuda_->upload_field(field);
  const auto image = cuda_->upload_field(image_field());
  const Camera camera = image_camera(4.0 / 3, 20, 15);
  const auto refused = [&](DeviceField& own, const RenderOutputs& outputs) {
    RenderSettings settings;
    settings.outputs = outputs;
    Frame frame;
    return thrown_by([&] { own.render(camera, settings, frame); });
  };
  for (const RenderOutputs& outputs :
       {RenderOutputs{.normal = true}, RenderOutputs{.tile_cost = true}}) {
    EXPECT_EQ(refused(*image, outputs).where(), "the requested images");
  }
  EXPECT_EQ(refused(*image, {.slice = true}).where(), "the requested slice");
  EXPECT_EQ(refused(*surface, {.tile_cost = true}).where(), "the requested images");
}

TEST_F(CudaFields, TellTheTimesOfTheirStagesWhereThatIsRequested) {
  std::vector<NeuralField> fields;
  for (const FieldApplication application :
       {FieldApplication::image, FieldApplication::sdf, FieldApplication::volume}) {
    fields.push_back(grid_field(application, kSmallGrid, {.neurons = 16, .hidden_layers = 1}));
  }
  fields.push_back(new_field(1));
  std::ranges::fill(fields.back().occupancy.values, 1.0f);
  for (const NeuralField& field : fields) {
    SCOPED_TRACE(static_cast<int>(field.application));
    const auto own = cuda_->upload_field(field);
    const Camera camera = field.application == FieldApplication::image
                              ? image_camera(image_aspect(field), 24, 16)
                              : ball_camera({3, 0, 1});
    RenderSettings settings;
    settings.field_step = 16;
    Frame frame;
    const FrameStats plain = own->render(camera, settings, frame);
    EXPECT_GT(plain.network_ms, 0);
    EXPECT_EQ(plain.encode_ms, 0);
    settings.outputs.stage_times = true;
    const FrameStats stats = own->render(camera, settings, frame);
    EXPECT_GT(stats.evaluations, 100u);
    EXPECT_GT(stats.encode_ms, 0);
    EXPECT_GT(stats.network_ms, 0);
    EXPECT_GT(stats.compose_ms, 0);
    const double sum = stats.march_ms + stats.encode_ms + stats.network_ms + stats.compose_ms;
    EXPECT_LE(sum, 1.001 * stats.total_ms);
  }
}

TEST_F(CudaFields, ReportMemoryThatDoesNotSuffice) {
  cuda_host::machine().memory_bytes = cuda_host::memory_use().bytes + 1000;
  const Error error = thrown_by([&] { cuda_->upload_field(image_field()); });
  EXPECT_NE(error.problem().find("out of device memory"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("--device cpu"), std::string::npos);
}

}  // namespace
}  // namespace mote::cuda
