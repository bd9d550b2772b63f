"""What a browser shows: index.html, page.css, page.js."""
