"""The embeddings room: words and texts in; rows of numbers out."""

from tiltmeter.vectors.encoder import Encoder, Rows, WordVectors
from tiltmeter.vectors.feature_cache import features
from tiltmeter.vectors.hub import find_model, find_onnx, no_safetensors
from tiltmeter.vectors.model_folder import Batch, Folder, read_model_folder
from tiltmeter.vectors.onnx import OnnxModel, check_onnx
from tiltmeter.vectors.opening import open_encoder
from tiltmeter.vectors.presets import PRESETS, SHIPPED
from tiltmeter.vectors.reading_words import Reading, read_words, reads_texts
from tiltmeter.vectors.sentence import open_text_encoder
from tiltmeter.vectors.transformer import load_transformer
from tiltmeter.vectors.words import words_in

__all__ = [
    "PRESETS",
    "SHIPPED",
    "Batch",
    "Encoder",
    "Folder",
    "OnnxModel",
    "Reading",
    "Rows",
    "WordVectors",
    "check_onnx",
    "features",
    "find_model",
    "find_onnx",
    "load_transformer",
    "no_safetensors",
    "open_encoder",
    "open_text_encoder",
    "read_model_folder",
    "read_words",
    "reads_texts",
    "words_in",
]
