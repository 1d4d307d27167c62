/** The example of golang.org/x/mod/sumdb/note: its keys, and the note that they make. */
export const PETER_NEUMANN = {
  verifierKey: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  /** 32-byte seed: of the published `PRIVATE+KEY+PeterNeumann+c74f20a3+AYEK…` what follows the type. */
  seed: 'gQoUAtUUbI2E8kQzMPVAgOv5juF9nHT2JS_F1ccoMXM',
  text:
    'If you think cryptography is the answer to your problem,\n' +
    "then you don't know what your problem is.\n",
  get note(): string {
    return `${this.text}\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;
  },
};

/** The example of c2sp.org/signed-note. */
export const QUASIMODO = {
  text: 'Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n',
  get note(): string {
    return `${this.text}\n\u2014 quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n`;
  },
};

/** The example of c2sp.org/tlog-cosignature: a checkpoint with the log's signature and a witness's. */
export const BEHIND_THE_SOFA = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
\u2014 witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`;
