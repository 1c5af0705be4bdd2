# The bytes 224 to 255: their base64 has a "+", a "/" and a "=".
mock_resource "random_bytes" {
  defaults = {
    base64 = "4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8="
    hex    = "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
  }
}
