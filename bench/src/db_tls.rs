//! TLS for a server of a benchmark, at a port of loopback: an authority and certificates of its own, by openssl(1), and a user
//! with a password, since everybody on this machine can reach a port. All of it lies in the server's folder, and goes with it.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::context::BenchContext;
use crate::db_product::text;
use xtask::Error;

/// Where it listens, and as whom clients sign in.
pub(crate) const ADDRESS: &str = "127.0.0.1";
pub(crate) const USER: &str = "bench";

/// Makes certificates, a password and what MariaDB executes as it starts, in the folder that is its argument. Clients' files
/// are called as sysbench wants them in the folder where it works (`drv_mysql.c`: `client-key.pem`, `client-cert.pem`,
/// `cacert.pem`). Nobody but the new user may come from elsewhere than the socket, and only over TLS.
const MAKE: &str = r#"
umask 077 && cd "$1" || exit 1
signed() {
    openssl req -newkey rsa:2048 -nodes -keyout "$1-key.pem" -out "$1.csr" -subj "/CN=$1" &&
    openssl x509 -req -in "$1.csr" -CA cacert.pem -CAkey cakey.pem -CAcreateserial -days 2 -extfile names -out "$1-cert.pem"
}
{
    echo "subjectAltName=IP:127.0.0.1,DNS:localhost" > names &&
    openssl req -x509 -newkey rsa:2048 -nodes -keyout cakey.pem -out cacert.pem -days 2 -subj /CN=authority &&
    signed server && signed client
} 2> certificates.log || { cat certificates.log >&2; exit 1; }
password=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
printf %s "$password" > password
printf '%s\n' "DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1';" \
    "CREATE USER 'bench'@'127.0.0.1' IDENTIFIED BY '$password' REQUIRE SSL;" \
    "GRANT ALL PRIVILEGES ON *.* TO 'bench'@'127.0.0.1';" > init.sql
"#;

/// What a server needs to speak TLS, and its clients to reach it.
#[derive(Debug)]
pub(crate) struct DatabaseTls {
    folder: PathBuf,
    pub(crate) port: u16,
    password: String,
}

impl DatabaseTls {
    /// Makes it in `folder`, by a shell that is begun by the words `before`.
    pub(crate) fn make(context: &BenchContext, folder: &Path, before: &[String]) -> Result<Self, Error> {
        let folder_text = text(folder);
        let mut words: Vec<&str> = before.iter().map(String::as_str).collect();
        words.extend(["sh", "-c", MAKE, "sh", &folder_text]);
        context.output(None, words[0], &words[1..])?;
        let file = folder.join("password");
        let password = fs::read_to_string(&file).map_err(Error::file("read", &file))?;
        let failed = |e: std::io::Error| Error::Bench(format!("looking for a free port: {e}"));
        let listener = TcpListener::bind((ADDRESS, 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { folder: folder.to_owned(), port, password })
    }

    /// A file of it.
    pub(crate) fn file(&self, name: &str) -> String {
        text(&self.folder.join(name))
    }

    /// The file with the password of its user.
    pub(crate) fn password_file(&self) -> String {
        self.file("password")
    }

    /// The password of its user.
    pub(crate) fn password(&self) -> &str {
        &self.password
    }

    /// The words before a client of the databases' own: where it finds its certificates, and, as libpq reads it, that there must
    /// be TLS, and with which password.
    pub(crate) fn before_clients(&self) -> Vec<String> {
        let password = format!("PGPASSWORD={}", self.password);
        ["env", "-C", &text(&self.folder), "PGSSLMODE=require", &password].map(str::to_owned).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_and_a_password_are_made_for_their_owner_alone() {
        if let Err(why) = xtask::tools::require(&["openssl"]) {
            return println!("skipped: {why}");
        }
        let target = tempfile::tempdir().unwrap();
        let context = BenchContext::new(target.path(), 1).unwrap();
        let folder = target.path().join("server");
        fs::create_dir(&folder).unwrap();
        let tls = DatabaseTls::make(&context, &folder, &[]).unwrap();
        assert!(tls.password.len() == 32 && tls.port > 0, "{tls:?}");
        assert!(fs::read_to_string(tls.file("init.sql")).unwrap().contains(tls.password()));
        for name in ["server", "client"] {
            let certificate = tls.file(&format!("{name}-cert.pem"));
            let authority = tls.file("cacert.pem");
            let words = ["verify", "-CAfile", &authority, &certificate];
            assert!(context.output(None, "openssl", &words).unwrap().contains(": OK"), "{name}");
        }
        let others =
            |file: &str| std::os::unix::fs::MetadataExt::mode(&fs::metadata(tls.file(file)).unwrap()) & 0o077;
        assert_eq!(["server-key.pem", "client-key.pem", "password", "init.sql"].map(others), [0; 4]);
    }
}
