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
  NeuralField nerf = tiny_field(FieldApplication::nerf, 1);
  nerf.proposals.emplace();
  expect_refused(*cuda_, nerf, "with proposals");
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
  NeuralField field =
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
       {RenderOutputs{.normal = true}, RenderOutputs{.tile_cost = true},
        RenderOutputs{.slice = true}}) {
    EXPECT_EQ(refused(*image, outputs).where(), "the requested images");
  }
  EXPECT_EQ(refused(*surface, {.tile_cost = true}).where(), "the requested images");
  const Error of_slice = refused(*surface, {.slice = true});
  EXPECT_NE(of_slice.problem().find("slices"), std::string::npos);
  EXPECT_EQ(of_slice.where(), cuda_->description());
  field.crops.push_back({});
  const auto cropped = cuda_->upload_field(field);
  EXPECT_NE(refused(*cropped, {}).problem().find("cropped"), std::string::npos);
}

TEST_F(CudaFields, RefuseToBeDividedBySheets) {
  for (const FieldApplication application : {FieldApplication::nerf, FieldApplication::volume}) {
    const auto field = cuda_->upload_field(tiny_field(application, 1));
    const Camera camera = image_camera(4.0 / 3, 20, 15);
    Frame sheet, parts[2];
    const Error error = thrown_by([&] {
      field->render_parts(camera, {}, {.sheets = {&sheet, 1}}, parts);
    });
    EXPECT_NE(error.problem().find("between splats"), std::string::npos) << error.what();
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
