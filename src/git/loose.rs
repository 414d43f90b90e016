//! Loose objects that were cut off, as a full disk or a crash leaves them: libgit2 waits for ever for
//! their rest, so they are told from whole ones before it reads them.

use std::path::{Path, PathBuf};

use flate2::{Decompress, FlushDecompress, Status};

/// How many bytes are inflated at once.
const PIECE: usize = 64 * 1024;

/// Folders of objects, the first one that of the repository.
pub(super) struct Loose {
    folders: Vec<PathBuf>,
}

impl Loose {
    /// The folder of a repository, those beside it, and those that they name as alternates.
    #[expect(clippy::disallowed_methods, reason = "this is the edge at which objects are read")]
    pub(super) fn new(own: PathBuf, beside: &[PathBuf]) -> Self {
        let mut folders = vec![own];
        folders.extend(beside.iter().cloned());
        let mut next = 0;
        while next < folders.len() && folders.len() < 64 {
            let folder = &folders[next];
            let listed = std::fs::read_to_string(folder.join("info/alternates")).unwrap_or_default();
            let named: Vec<PathBuf> = listed.lines().map(|line| folder.join(line)).collect();
            folders.extend(named.into_iter().filter(|path| path.is_dir()));
            next += 1;
        }
        Self { folders }
    }

    /// Whether the object is a loose one that ends too soon. One that is no file is not.
    #[expect(clippy::disallowed_methods, reason = "this is the edge at which objects are read")]
    pub(super) fn is_cut_off(&self, id: &str) -> bool {
        let (folder, name) = id.split_at(2);
        let name = Path::new(folder).join(name);
        let found = self.folders.iter().find_map(|objects| std::fs::read(objects.join(&name)).ok());
        found.is_some_and(|bytes| ends_too_soon(&bytes))
    }
}

/// Whether compressed data go on behind the last byte. Data that cannot be inflated do not: what is
/// wrong with them is left to be told by who reads them.
fn ends_too_soon(bytes: &[u8]) -> bool {
    let mut stream = Decompress::new(true);
    let mut piece = vec![0; PIECE];
    loop {
        let at = usize::try_from(stream.total_in()).unwrap_or(bytes.len());
        let before = (stream.total_in(), stream.total_out());
        match stream.decompress(&bytes[at..], &mut piece, FlushDecompress::None) {
            Ok(Status::StreamEnd) | Err(_) => return false,
            Ok(Status::Ok | Status::BufError) => {
                if before == (stream.total_in(), stream.total_out()) {
                    return true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    #[test]
    fn every_beginning_of_an_object_ends_too_soon() {
        let data: Vec<u8> = (0..3_000_u32).flat_map(|number| (number * number).to_le_bytes()).collect();
        for size in [0, 1, 500, data.len()] {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&data[..size]).unwrap();
            let whole = encoder.finish().unwrap();
            assert!(!ends_too_soon(&whole));
            for length in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
                assert!(ends_too_soon(&whole[..length]), "{length} of {}", whole.len());
            }
        }
        let large = vec![7; 5 * PIECE + 1];
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&large).unwrap();
        let whole = encoder.finish().unwrap();
        assert!(!ends_too_soon(&whole));
        assert!(ends_too_soon(&whole[..whole.len() - 4]));
        assert!(!ends_too_soon(b"no zlib stream"));
    }
}
