"""Pages whose sections are all open, for tests of what is inside them."""

UNFOLD = "for (const one of document.querySelectorAll('details.fold')) one.open = true"


def with_sections_open(visit):
    """As `visit`, and every section of the page is opened."""

    def opened(file, address="", **settings):
        page = visit(file, address, **settings)
        page.evaluate(UNFOLD)
        return page

    return opened
