"""The figures and tables of the papers, computed anew through the public face, with what each paper says beside what comes out."""
