"""The embeddings room: words and texts in; rows of numbers out."""

from tiltmeter.embeddings.encoder import Encoder, Rows, WordVectors
from tiltmeter.embeddings.feature_cache import features
from tiltmeter.embeddings.hub import find_model, find_onnx, no_safetensors
from tiltmeter.embeddings.model_folder import Batch, Folder, read_model_folder
from tiltmeter.embeddings.onnx import OnnxModel, check_onnx
from tiltmeter.embeddings.opening import open_encoder
from tiltmeter.embeddings.presets import PRESETS, SHIPPED
from tiltmeter.embeddings.reading_words import Reading, read_words, reads_texts
from tiltmeter.embeddings.sentence import open_text_encoder
from tiltmeter.embeddings.transformer import load_transformer
from tiltmeter.embeddings.words import words_in

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
