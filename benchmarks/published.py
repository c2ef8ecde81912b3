"""Six published models' attention: the sizes, where they are published, and what a token leaves in the cache.

Each number is read in the paper and again in the published configuration. Where the paper is silent about one (Llama 2
gives neither layers nor heads), it stands in two copies of the configuration. The first files of Llama 3.1 405B stored
each key/value head twice, for 16 devices, and so said 16; the paper's table 3 says 8.
"""

from dataclasses import dataclass

BYTES = 2  # a number in bfloat16, in which these models' caches are kept here


@dataclass(frozen=True)
class Model:
    """`H` query heads of width `d`, `G` key/value heads, or latents of `r` numbers with a rotary key next to them."""

    name: str
    layers: int
    H: int
    G: int | None  # None where the model uses MLA
    d: int
    r: int
    rotary: int
    paper: str
    where: str
    configuration: str

    def cache_bytes(self, G: int) -> int:
        """Bytes that a token leaves in the caches of all layers, with G key/value heads; G = H is MHA."""
        return 2 * G * self.d * self.layers * BYTES

    def used_bytes(self) -> int:
        """Bytes that a token leaves in the caches of all layers, as the model is published."""
        return self.cache_bytes(self.G) if self.G else (self.r + self.rotary) * self.layers * BYTES


HUB = "huggingface.co, config.json of "
MODELS = (
    Model("LLaMA 7B", 32, 32, 32, 128, 0, 0, "arXiv:2302.13971", "table 2", HUB + "huggyllama/llama-7b"),
    Model("Mistral 7B", 32, 32, 8, 128, 0, 0, "arXiv:2310.06825", "table 1", HUB + "mistralai/Mistral-7B-v0.1"),
    Model("Llama 2 70B", 80, 64, 8, 128, 0, 0, "arXiv:2307.09288", "GQA: 2.2", HUB + "meta-llama/Llama-2-70b-hf"),
    Model("Llama 3 405B", 126, 128, 8, 128, 0, 0, "arXiv:2407.21783", "table 3", HUB + "meta-llama/Llama-3.1-405B"),
    Model(
        "DeepSeek-V2 236B",
        60,
        128,
        None,
        128,
        512,
        64,
        "arXiv:2405.04434",
        "3.1.2",
        "github.com/deepseek-ai/DeepSeek-V3, inference/configs/config_236B.json",
    ),
    Model(
        "DeepSeek-V3 671B",
        61,
        128,
        None,
        128,
        512,
        64,
        "arXiv:2412.19437",
        "4.2",
        "github.com/deepseek-ai/DeepSeek-V3, inference/configs/config_671B.json",
    ),
)
