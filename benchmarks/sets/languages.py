"""Words and sentence forms of a few languages, enough for prose that breaks, hyphenates and reads like prose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """Nouns are plural and go with their article, so that every sentence form agrees with every noun."""

    code: str
    babel: str
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]
    places: tuple[str, ...]
    sentences: tuple[str, ...]
    titles: tuple[str, ...]
    headings: tuple[str, ...]
    names: tuple[str, ...]
    families: tuple[str, ...]
    months: tuple[str, ...]
    abstract: str
    references: str
    table: str
    figure: str


def _split(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.replace("\n", " ").split(",") if word.strip())


ENGLISH = Language(
    "en",
    "english",
    _split("""the measurements, the boundary layers, several catalysts, most respondents, the regional councils,
    interest rates, the river gauges, our estimates, the control groups, coastal settlements, the magnetic samples,
    smaller households, the reference genomes, steel frames, the annual surveys, distant galaxies, public libraries,
    the phase transitions, the cooling towers, monthly deposits, the observed frequencies, railway stations,
    the soil profiles, independent auditors, the neural responses, trade agreements, the upper bounds, wind turbines,
    these coefficients, medieval charters, the pension funds, infected plants, the training sequences, older patients,
    the optical fibres, migrating birds, the supply contracts, the error terms, glacial deposits, the panel members,
    the drainage basins, rural schools, the polymer chains, insurance claims, the early editions, shallow networks"""),
    _split("""depend on, are explained by, exceed, were compared with, describe, resemble, cannot be separated from,
    were measured before, reduce, respond to, are limited by, confirm, contradict, were replaced by, support,
    vary with, are consistent with, precede, account for, outnumber"""),
    _split("""in the northern districts, at low temperature, over the last decade, under laboratory conditions,
    for most of the period, in the second experiment, at the 5 per cent level, on average, in both samples,
    despite the earlier reports, between 1998 and 2014, without further assumptions, after the reform,
    near the critical point, in the absence of noise, for all but two stations"""),
    (
        "{A} {verb} {b} {place}.",
        "{Place}, {a} {verb} {b}.",
        "We find that {a} {verb} {b}, while {c} {verb2} {d}.",
        "Although {a} {verb} {b}, no effect on {c} was seen {place}.",
        "It has been argued that {a} {verb} {b} (see also {family}, {year}).",
        "{A} and {b} {verb} {c} {place}, which is what {family} reported in {year}.",
        "Of the {number} cases, {small} were excluded because {a} {verb} {b}.",
        "How far {a} {verb} {b} remains an open question.",
        "By contrast, {a} {verb} {b} by a factor of {small}.{digit} {place}.",
        "This follows from the fact that {a} {verb} {b}; {c} are treated in the next section.",
        "Neither {a} nor {b} {verb} {c}.",
    ),
    (
        "On the origin of {b} and {d}",
        "How {a} {verb} {b}",
        "{A} and {b}: evidence from {year} to {later}",
        "A note on {b}",
        "Do {a} matter for {b}?",
        "{B} {place}",
        "The role of {b} {place}",
    ),
    _split("""Introduction, Related work, Data and methods, Experimental set-up, Results, Discussion, Conclusions,
    Limitations, Theoretical background, Sampling, Study area, Model, Robustness, Numerical examples, Main theorem,
    Estimation strategy, Materials, Statistical analysis, Sensitivity to noise, Comparison with earlier work,
    Acknowledgements, Preliminaries, Historical sources, A failure of scaling, Notation, Error analysis"""),
    _split("Alice, Robert, M. J., Hannah, Peter, D. W., Sofia, James, Ling, Aisha, Tomas, E. R., Olivia, Daniel"),
    _split(
        "Hartley, Brandt, O’Neill, Nakamura, Lindqvist, Okafor, Fischer, Morales, Patel, Whitcombe, Abbott, Vaughan"
    ),
    _split("January, February, March, April, May, June, July, August, September, October, November, December"),
    "Abstract",
    "References",
    "Table",
    "Figure",
)

GERMAN = Language(
    "de",
    "ngerman",
    _split("""die Messungen, die Grenzschichten, mehrere Katalysatoren, die meisten Befragten, die Landkreise,
    die Zinssätze, die Pegelstände, unsere Schätzungen, die Kontrollgruppen, die Küstenorte, die Bodenproben,
    kleinere Haushalte, die Vergleichswerte, Stahlträger, die Jahresberichte, entfernte Galaxien, Büchereien,
    die Phasenübergänge, Windkraftanlagen, die monatlichen Einlagen, die beobachteten Häufigkeiten, Bahnhöfe,
    unabhängige Wirtschaftsprüfer, Handelsabkommen, die oberen Schranken, mittelalterliche Urkunden, Rentenkassen,
    ältere Patientinnen, die Lichtwellenleiter, Zugvögel, Lieferverträge, die Fehlerglieder, ländliche Schulen,
    die Versicherungsfälle, frühe Ausgaben, die Gewässereinzugsgebiete, Größenordnungen, Straßenbrücken"""),
    _split("""übertreffen, bestätigen, widerlegen, ersetzen, begrenzen, beeinflussen, beschreiben, erklären, ergänzen,
    verringern, begünstigen, überlagern"""),
    _split("""in den nördlichen Bezirken, bei tiefen Temperaturen, im letzten Jahrzehnt, unter Laborbedingungen,
    im zweiten Versuch, im Durchschnitt, in beiden Stichproben, zwischen 1998 und 2014, ohne weitere Annahmen,
    nach der Umstellung, für fast alle Messstellen, bei gleicher Größe"""),
    (
        "{A} {verb} {b} {place}.",
        "Es zeigt sich, dass {a} {b} {place} {verb}.",
        "Während {a} {b} {verb}, sind {c} davon nicht berührt.",
        "{A} und {b} {verb} {c} (vgl. {family} {year}).",
        "Von den {number} Fällen wurden {small} ausgeschlossen, weil {a} {b} {verb}.",
        "Ob {a} {b} {verb}, ist nicht abschließend geklärt.",
        "Weder {a} noch {b} {verb} {c} {place}.",
        "Daraus folgt: {a} {verb} {b} um den Faktor {small},{digit}.",
    ),
    ("Wie {a} {b} {verb}", "{A} und {b}", "{A}: ein Überblick", "Warum {a} {b} {verb}", "{A} {place}"),
    _split("""Einleitung, Stand der Forschung, Daten und Methoden, Versuchsaufbau, Ergebnisse, Diskussion,
    Schlussfolgerungen, Grenzen der Untersuchung, Theoretischer Hintergrund, Stichprobe, Untersuchungsgebiet, Modell,
    Überprüfung der Annahmen, Beispiele, Hauptsatz, Werkstoffe, Statistische Auswertung, Fehlerrechnung, Danksagung,
    Größenordnungen, Historische Quellen, Bezeichnungen"""),
    _split("Anna, Jürgen, Käthe, Matthias, Svenja, H.-P., Lukas, Björn, Marie-Luise, Günter"),
    _split("Müller, Schröder, Weiß, Brandstätter, Köhler, Öztürk, Vogelsang, Groß, Petersen, Jäger"),
    _split("Januar, Februar, März, April, Mai, Juni, Juli, August, September, Oktober, November, Dezember"),
    "Zusammenfassung",
    "Literatur",
    "Tabelle",
    "Abbildung",
)

FRENCH = Language(
    "fr",
    "french",
    _split("""les mesures, les couches limites, plusieurs catalyseurs, la plupart des personnes interrogées,
    les conseils régionaux, les taux d’intérêt, les stations de jaugeage, nos estimations, les groupes témoins,
    les communes littorales, les échantillons, les ménages modestes, les enquêtes annuelles, les galaxies lointaines,
    les bibliothèques, les transitions de phase, les éoliennes, les dépôts mensuels, les fréquences observées,
    les gares, les profils de sol, les auditeurs, les accords commerciaux, les bornes supérieures, les chartes,
    les caisses de retraite, les patients âgés, les fibres optiques, les oiseaux migrateurs, les contrats,
    les termes d’erreur, les écoles rurales, les sinistres, les premières éditions, les réseaux hydrographiques"""),
    _split("""dépassent, confirment, contredisent, remplacent, limitent, influencent, décrivent, expliquent, complètent,
    réduisent, précèdent, modifient"""),
    _split("""dans les districts du nord, à basse température, au cours de la dernière décennie, en laboratoire,
    lors du second essai, en moyenne, dans les deux échantillons, entre 1998 et 2014, sans autre hypothèse,
    après la réforme, près du point critique, malgré les rapports antérieurs"""),
    (
        "{A} {verb} {b} {place}.",
        "On constate que {a} {verb} {b}, tandis que {c} {verb2} {d}.",
        "Bien que limités, {a} {verb} {b} {place}.",
        "{A} et {b} {verb} {c} (voir {family}, {year}).",
        "Sur les {number} cas, {small} ont été écartés car {a} {verb} {b}.",
        "Il reste à savoir si {a} {verb} {b}.",
        "Ni {a} ni {b} ne {verb} {c} {place}.",
    ),
    ("Comment {a} {verb} {b}", "{A} et {b}", "{A} {place}", "Pourquoi {a} {verb} {b}"),
    _split("""Introduction, Travaux antérieurs, Données et méthodes, Dispositif expérimental, Résultats, Discussion,
    Conclusion, Limites de l’étude, Cadre théorique, Échantillonnage, Zone d’étude, Modèle, Exemples numériques,
    Théorème principal, Matériaux, Analyse statistique, Remerciements, Sources historiques, Notations"""),
    _split("Élodie, Jean-Luc, Amélie, François, Zoé, P.-Y., Benoît, Noémie, Théo, Agnès"),
    _split("Lefèvre, Durand, Béranger, Moreau, Château, Nguyen, d’Aubigné, Faure, Gérard, Picard"),
    _split("janvier, février, mars, avril, mai, juin, juillet, août, septembre, octobre, novembre, décembre"),
    "Résumé",
    "Références",
    "Tableau",
    "Figure",
)

SPANISH = Language(
    "es",
    "spanish",
    _split("""las mediciones, las capas límite, varios catalizadores, los encuestados, los consejos regionales,
    los tipos de interés, las estaciones de aforo, nuestras estimaciones, los grupos de control, los municipios,
    las muestras, los hogares pequeños, las encuestas anuales, las bibliotecas públicas, las transiciones de fase,
    los depósitos mensuales, las frecuencias observadas, los perfiles del suelo, los acuerdos comerciales,
    las cotas superiores, los fondos de pensiones, los pacientes mayores, las fibras ópticas, los contratos,
    los términos de error, las escuelas rurales, las primeras ediciones, los años húmedos"""),
    _split("superan, confirman, contradicen, sustituyen, limitan, describen, explican, completan, reducen, preceden"),
    _split("""en los distritos del norte, a baja temperatura, durante la última década, en el laboratorio,
    en el segundo ensayo, en promedio, en ambas muestras, entre 1998 y 2014, sin más hipótesis, según la región"""),
    (
        "{A} {verb} {b} {place}.",
        "Se observa que {a} {verb} {b}, mientras que {c} {verb2} {d}.",
        "{A} y {b} {verb} {c} (véase {family}, {year}).",
        "De los {number} casos, {small} quedaron excluidos porque {a} {verb} {b}.",
        "Ni {a} ni {b} {verb} {c} {place}.",
    ),
    ("{A} y {b}", "Cómo {a} {verb} {b}", "{A} {place}"),
    _split("""Introducción, Estado de la cuestión, Datos y métodos, Diseño experimental, Resultados, Discusión,
    Conclusiones, Limitaciones, Marco teórico, Muestreo, Área de estudio, Modelo, Ejemplos,
    Agradecimientos"""),
    _split("Íñigo, María José, Joaquín, Núria, Andrés, Lucía, Álvaro, Begoña"),
    _split("Muñoz, Ibáñez, García Peña, Ordóñez, Ruiz, Domínguez, Vélez"),
    _split("enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre"),
    "Resumen",
    "Referencias",
    "Tabla",
    "Figura",
)

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH)
