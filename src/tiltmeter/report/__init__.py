"""The report room: what people see. Findings and what they rest on in; pages and tables out."""

from tiltmeter.report.material import AxisWords, Compared, Material
from tiltmeter.report.wording import SAID, with_sentences

__all__ = ["SAID", "AxisWords", "Compared", "Material", "with_sentences"]
