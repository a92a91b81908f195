"""The output folder of two versions compared: page, compare.json and every table."""

from __future__ import annotations

from pathlib import Path

from tiltmeter.report.ownership import check_folder
from tiltmeter.report.versions.material import VersionMaterial
from tiltmeter.report.versions.page import compare_page
from tiltmeter.report.versions.tables import version_tables
from tiltmeter.report.versions.versions_json import FILE, versions_json
from tiltmeter.report.writer import results_in

PAGE = "compare.html"


def write_version_folder(material: VersionMaterial, folder: Path, *, force: bool = False) -> Path:
    """Write everything a comparison leaves behind; the page's path is given back.

    A folder that holds something else needs `force`. What an earlier run wrote there is replaced.
    """
    folder = Path(folder)
    check_folder(folder, force)
    page = compare_page(material)  # before the first file: a failure leaves the folder as it was
    with results_in(folder, material.run, material.environment) as writer:
        writer.text(PAGE, page)
        writer.text(FILE, versions_json(material))
        for name, frame in version_tables(material).items():
            writer.csv(f"tables/{name}.csv", frame)
    return folder / PAGE
