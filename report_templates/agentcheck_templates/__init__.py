"""How the reports read: jinja2 templates, found by package name."""
