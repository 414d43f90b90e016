//! A decision in the format that was asked for.

use crate::cli::args::CheckFormat;
use crate::cli::console::Page;
use crate::render;
use crate::render::view::View;

/// The page; `json` gives the one that is not laid out from the view.
pub(super) fn page(format: CheckFormat, view: &View, json: impl FnOnce() -> String) -> Page {
    match format {
        CheckFormat::Text => Page::Text(render::decision::text(view)),
        CheckFormat::Json => Page::Document(json()),
        CheckFormat::Markdown => Page::Document(render::markdown(view)),
        CheckFormat::Junit => Page::Document(render::junit_decision(view)),
        CheckFormat::Github => Page::Document(render::github(view)),
        CheckFormat::Sarif => Page::Document(render::sarif(view)),
        CheckFormat::Html => Page::Document(render::html(view)),
    }
}
