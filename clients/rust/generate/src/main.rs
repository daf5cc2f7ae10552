//! Writes the Rust code of the contract: `generate DESCRIPTORS FOLDER`.
//!
//! DESCRIPTORS is a `FileDescriptorSet` with imports and comments, as protoc writes it. FOLDER gets one file for each
//! package, and `fake/play.rs`, the server's side of `PlayService`, which only the SDK's own tests need.

use std::{env, fs, path::PathBuf};

use prost::Message as _;
use prost_types::FileDescriptorSet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [descriptors, folder] = arguments.as_slice() else {
        return Err("usage: generate DESCRIPTORS FOLDER".into());
    };
    let descriptors = FileDescriptorSet::decode(fs::read(descriptors)?.as_slice())?;
    let fake = folder.join("fake");
    fs::create_dir_all(&fake)?;
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .codec_path("crate::codec::SliceCodec")
        .out_dir(folder)
        .compile_fds(descriptors.clone())?;

    let mut play = descriptors;
    play.file.retain(|file| file.name().starts_with("croupier/"));
    for file in &mut play.file {
        file.service.retain(|service| service.name() == "PlayService");
    }
    tonic_prost_build::configure()
        .build_client(false)
        .build_transport(false)
        .codec_path("crate::codec::SliceCodec")
        .extern_path(".croupier.v1", "crate::v1")
        .extern_path(".croupier.games", "crate::games")
        .out_dir(&fake)
        .compile_fds(play)?;
    fs::rename(fake.join("croupier.v1.rs"), fake.join("play.rs"))?;
    Ok(())
}
