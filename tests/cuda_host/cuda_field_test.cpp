// Neural fields that the CUDA backend refuses. tests/backend/device_field_test.cpp has those that
// it draws.
#include <string>

#include "backend/field_trainer.h"
#include "cuda/gpu_backend.h"
#include "field_kernels_fixture.h"
#include "fields/applications/field_layout.h"
#include "fields/image_plane.h"
#include "support/grid_field.h"
#include "support/thrown_by.h"

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
  expect_refused(*cuda_, tiny_field(FieldApplication::nerf, 1), "radiance fields");
  expect_refused(*cuda_, tiny_field(FieldApplication::volume, 1), "volumes");
  const NetworkConfig network{.neurons = 16, .hidden_layers = 1};
  GridConfig grid = kSmallGrid;
  grid.features = 1;
  expect_refused(*cuda_, grid_field(FieldApplication::sdf, grid, network), "with 1 features");
  expect_refused(*cuda_, grid_field(FieldApplication::sdf, kSmallGrid, {.neurons = 48}),
                 "48 neurons");
  expect_refused(*cuda_,
                 grid_field(FieldApplication::sdf, kSmallGrid,
                            {.kind = NetworkKind::gaussians, .neurons = 16}),
                 "Gaussians");
  NeuralField field = grid_field(FieldApplication::sdf, kSmallGrid, network);
  field.config.encoding->parts.push_back({Frequency{3}, 1, 2});
  field.parameters.resize(field_parameters(field.application, field.config));
  expect_refused(*cuda_, field, "several parts");
  field.config.encoding->parts.erase(field.config.encoding->parts.begin());
  expect_refused(*cuda_, field, "other than grids");
}

TEST_F(CudaFields, RefuseImagesThatAreNotDrawn) {
  const auto surface = cuda_->upload_field(
      grid_field(FieldApplication::sdf, kSmallGrid, {.neurons = 16, .hidden_layers = 1}));
  const auto image = cuda_->upload_field(image_field());
  const Camera camera = image_camera(4.0 / 3, 20, 15);
  Frame frame;
  const Error error = thrown_by([&] { surface->render(camera, {}, frame); });
  EXPECT_NE(error.problem().find("signed distance fields"), std::string::npos);
  for (const RenderOutputs& outputs :
       {RenderOutputs{.normal = true}, RenderOutputs{.tile_cost = true},
        RenderOutputs{.slice = true}}) {
    RenderSettings settings;
    settings.outputs = outputs;
    EXPECT_EQ(thrown_by([&] { image->render(camera, settings, frame); }).where(),
              "the requested images");
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
