//! `man`: the manual page of the program and of all its commands, out of the definitions that the help comes from.

use std::io;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::cli::args::Cli;
use crate::cli::console::{Console, Page};
use crate::error::Error;
use crate::exit::Exit;

pub(super) fn run(console: &mut Console) -> Result<Exit, Error> {
    let page =
        page().map_err(|error| Error::surroundings("the manual cannot be rendered").because(&error))?;
    console.result(&Page::Document(page), None)?;
    Ok(Exit::Passed)
}

/// One page: the program, then each command under a heading of its own.
fn page() -> io::Result<String> {
    let program = Cli::command().disable_help_subcommand(true);
    let whole = Man::new(program.clone()).manual("diag-gate");
    let mut page = Vec::new();
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    whole.render_options_section(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        page += &section(program.get_name(), command)?;
    }
    page += ".SH \"EXIT STATUS\"\n.nf\n";
    let statuses = program.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    for line in statuses.lines().skip(1) {
        page += &format!("{}\n", line.replace('\\', "\\e").replace('-', "\\-"));
    }
    page += ".fi\n";
    Ok(page)
}

/// A command: what only holds for it, not the options of the program.
fn section(program: &str, command: &Command) -> io::Result<String> {
    let name = format!("{program} {}", command.get_name());
    let of_command =
        Man::new(command.clone().bin_name(&name).disable_help_flag(true).disable_version_flag(true));
    let mut section = Vec::new();
    of_command.render_description_section(&mut section)?;
    of_command.render_synopsis_section(&mut section)?;
    if command.get_arguments().next().is_some() {
        of_command.render_options_section(&mut section)?;
    }
    let text = String::from_utf8_lossy(&section).into_owned();
    let lines = text.lines().filter(|line| {
        *line != ".SH DESCRIPTION" && !line.starts_with(".ie \\n(.g") && !line.starts_with(".el .ds")
    });
    let lines: String = lines.map(|line| format!("{}\n", line.replacen(".SH ", ".SS ", 1))).collect();
    Ok(format!(".SH \"{}\"\n{lines}", name.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_every_option_of_it_is_on_the_page() {
        let page = page().unwrap();
        assert_eq!(page.matches(".TH ").count(), 1);
        for command in Cli::command().get_subcommands() {
            let heading = format!("\n.SH \"DIAG-GATE {}\"\n", command.get_name().to_uppercase());
            let (_, section) = page.split_once(&heading).expect("it has a heading");
            let section = section.split("\n.SH ").next().unwrap();
            for long in command.get_arguments().filter_map(clap::Arg::get_long) {
                assert!(section.contains(&long.replace('-', "\\-")), "{} --{long}", command.get_name());
            }
        }
        assert!(page.contains(".SH \"EXIT STATUS\""));
    }
}
