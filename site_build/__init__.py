"""The project's site: pages staged, built by Zensical, its links checked. See docs/design.md."""
