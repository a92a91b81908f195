"""Words and texts as numbers: encoders and word vectors by name or file; rows and tables out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.vectors.cache import features
    from tiltmeter.vectors.encoder import Encoder, Rows, WordVectors
    from tiltmeter.vectors.open import open_encoder, open_vectors, reads_texts
    from tiltmeter.vectors.pretrained import (
        Batch,
        ModelFolder,
        OnnxModel,
        check_onnx,
        find_model,
        find_onnx,
        load_transformer,
        no_safetensors,
        read_model_folder,
    )
    from tiltmeter.vectors.text_encoders import PRESETS, SHIPPED, open_text_encoder, words_in
    from tiltmeter.vectors.words import WordReading, read_words
else:
    from tiltmeter.lazy import lazy_names

    __getattr__, __all__ = lazy_names(__name__)
