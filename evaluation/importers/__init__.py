"""Other people's corpora, read as stories with evidence."""
